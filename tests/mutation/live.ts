import { appendFileSync } from 'node:fs';
import { type MutantResult, PlanKind } from '@stryker-mutator/api/core';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import type { MutationTestingPlanReadyEvent, Reporter } from '@stryker-mutator/api/report';

const FILE = process.env['LIVE'] ?? '/tmp/ops/live.log';

/** A Stryker reporter that appends each planned mutant and each result to a log file, to follow a long run. */
class LiveReporter implements Reporter {
  onMutationTestingPlanReady({ mutantPlans }: MutationTestingPlanReadyEvent): void {
    for (const plan of mutantPlans) {
      if (plan.plan === PlanKind.EarlyResult) continue;
      const { fileName, location, mutatorName, replacement } = plan.mutant;
      const { line, column } = location.start;
      appendFileSync(
        FILE,
        `PLAN ${fileName}:${line + 1}:${column + 1} ${mutatorName}: ${JSON.stringify(replacement)} tests=${plan.runOptions.testFilter?.length} net=${plan.netTime}\n`,
      );
    }
  }

  onMutantTested({ status, fileName, location, mutatorName, replacement, statusReason }: MutantResult): void {
    if (status === 'CompileError') return;
    const { line, column } = location.start;
    appendFileSync(
      FILE,
      `${new Date().toISOString().slice(11, 19)} ${status} ${fileName}:${line}:${column} ${mutatorName}: ${JSON.stringify(replacement)} ${statusReason ?? ''}\n`,
    );
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'live', LiveReporter)];
