import { appendFileSync } from 'node:fs';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
class Live {
  onMutationTestingPlanReady(event: any): void {
    for (const plan of event.mutantPlans) {
      const m = plan.mutant;
      if (plan.plan === 'EarlyResult') continue;
      appendFileSync(
        process.env['LIVE'] ?? '/tmp/ops/live.log',
        `PLAN ${m.fileName}:${m.location.start.line + 1}:${m.location.start.column + 1} ${m.mutatorName}: ${JSON.stringify(m.replacement)} tests=${plan.runOptions?.testFilter?.length} net=${plan.netTime}\n`,
      );
    }
  }
  onMutantTested(m: any): void {
    if (m.status === 'CompileError') return;
    appendFileSync(
      process.env['LIVE'] ?? '/tmp/ops/live.log',
      `${new Date().toISOString().slice(11, 19)} ${m.status} ${m.fileName}:${m.location.start.line}:${m.location.start.column} ${m.mutatorName}: ${JSON.stringify(m.replacement)} ${m.statusReason ?? ''}\n`,
    );
  }
}
export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'live', Live as any)];
