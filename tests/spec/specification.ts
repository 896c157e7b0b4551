import { beyond } from './beyond.ts';
import { calls } from './calls.ts';
import { entities } from './entities.ts';
import { errors } from './errors.ts';
import { limits } from './limits.ts';
import { overview } from './overview.ts';
import { roles } from './roles.ts';
import { screens } from './screens.ts';
import { states } from './states.ts';
import { validation } from './validation.ts';
import type { Section } from './section.ts';

export const specification: readonly Section[] = [
  overview,
  screens,
  entities,
  states,
  validation,
  roles,
  calls,
  errors,
  limits,
  beyond,
];
