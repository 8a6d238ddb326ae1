import type { TestScenario } from '../../../server/src/base/domain/credential.ts'

/** A new key opens the organization, or the simulated fleet in a scenario. */
export type Opens = 'data' | TestScenario

export const OPENS: Record<Opens, string> = {
  data: 'Data of this organization',
  standard: 'Simulated fleet (test key)',
  suspended: 'Simulated fleet: suspended, 403',
  expired: 'Simulated fleet: expired, 401',
  exhausted: 'Simulated fleet: object 1 without quota',
  limited: 'Simulated fleet: always 429',
  unavailable: 'Simulated fleet: always 503',
  cut: 'Simulated fleet: answers break off',
  slow: 'Simulated fleet: answers after 10 s',
  stale: 'Simulated fleet: every cursor has expired, 410',
}
