import type { TestScenario } from '../../../server/src/base/domain/credential.ts'
import { t } from '../language/text.ts'

/** A new key opens the organization, or the simulated fleet in a scenario. */
export type Opens = 'data' | TestScenario

export const OPENS: Record<Opens, string> = {
  data: t('Data of this organization'),
  standard: t('Simulated fleet (test key)'),
  suspended: t('Simulated fleet: suspended, 403'),
  expired: t('Simulated fleet: expired, 401'),
  exhausted: t('Simulated fleet: no quota left for object 1'),
  limited: t('Simulated fleet: always 429'),
  unavailable: t('Simulated fleet: always 503'),
  cut: t('Simulated fleet: truncated responses'),
  slow: t('Simulated fleet: responses after 10 s'),
  stale: t('Simulated fleet: all cursors expired, 410'),
}
