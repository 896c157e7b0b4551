import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

/**
 * The metrics of all processes that `WORKERS` starts. They share a port, so a scrape reaches any one of them. That process asks the first
 * process, which asks all others. Every sample has the label `process`.
 */

type Question = { readonly ask: 'metrics'; readonly id: number };
type Answer = { readonly answer: 'metrics'; readonly id: number; readonly text: string | null };

const ANSWER_MS = 6_000;

const isQuestion = (message: unknown): message is Question =>
  typeof message === 'object' && message !== null && 'ask' in message && message.ask === 'metrics';
const isAnswer = (message: unknown): message is Answer =>
  typeof message === 'object' && message !== null && 'answer' in message && message.answer === 'metrics';

/** Runs in the first process and sends the metrics of all processes to those that ask. */
export function answerMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    if (!isQuestion(message)) return;
    all.clusterMetrics().then(
      (text) => answer(text),
      // A process did not answer in time. The process that got the scrape then reports only its own metrics.
      () => answer(null),
    );
    const answer = (text: string | null): void => {
      if (worker.isConnected()) worker.send({ answer: 'metrics', id: message.id, text } satisfies Answer);
    };
  });
}

/**
 * Runs in the other processes. Returns a function that reads the metrics of all processes, or only those of `registry` if the others do not
 * answer.
 */
export function readAllMetrics(registry: Registry, number: number): () => Promise<string> {
  registry.setDefaultLabels({ process: String(number) });
  AggregatorRegistry.setRegistries([registry]);
  // This registry sends the metrics of this process when the first process asks for them.
  new AggregatorRegistry();
  const waiting = new Map<number, (text: string | null) => void>();
  let last = 0;
  process.on('message', (message: unknown) => {
    if (isAnswer(message)) waiting.get(message.id)?.(message.text);
  });
  return async () => {
    const id = (last += 1);
    const text = await new Promise<string | null>((resolve) => {
      const timer = setTimeout(() => resolve(null), ANSWER_MS);
      waiting.set(id, (found) => {
        clearTimeout(timer);
        resolve(found);
      });
      process.send?.({ ask: 'metrics', id } satisfies Question);
    });
    waiting.delete(id);
    return text ?? registry.metrics();
  };
}
