import cluster from 'node:cluster';
import { AggregatorRegistry, type Registry } from 'prom-client';

/**
 * The metrics of all processes that `WORKERS` starts. They share a port, so a scrape reaches any of them: it asks the first process, which
 * asks each of the others. Every sample has the label `process`.
 */

type Question = { readonly ask: 'metrics'; readonly id: number };
type Answer = { readonly answer: 'metrics'; readonly id: number; readonly text: string | null };

const ANSWER_MS = 6_000;

const isQuestion = (message: unknown): message is Question =>
  typeof message === 'object' && message !== null && 'ask' in message && message.ask === 'metrics';
const isAnswer = (message: unknown): message is Answer =>
  typeof message === 'object' && message !== null && 'answer' in message && message.answer === 'metrics';

/** In the first process: answers the others with the metrics of all. */
export function answerMetrics(): void {
  const all = new AggregatorRegistry();
  cluster.on('message', (worker, message: unknown) => {
    if (!isQuestion(message)) return;
    all.clusterMetrics().then(
      (text) => answer(text),
      // One process did not answer in time. The one that was asked answers for itself alone.
      () => answer(null),
    );
    const answer = (text: string | null): void => {
      if (worker.isConnected()) worker.send({ answer: 'metrics', id: message.id, text } satisfies Answer);
    };
  });
}

/** In the other processes: returns what reads the metrics of all, or those of `registry` where the others do not answer. */
export function readAllMetrics(registry: Registry, number: number): () => Promise<string> {
  registry.setDefaultLabels({ process: String(number) });
  AggregatorRegistry.setRegistries([registry]);
  // Answers the first process when it asks for this one's metrics.
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
