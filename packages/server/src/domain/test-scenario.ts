/** How the simulated fleet of a test key answers. `standard`: as a server does on a good day. */
export const TEST_SCENARIOS = [
  'standard',
  'suspended',
  'expired',
  'exhausted',
  'limited',
  'unavailable',
  'cut',
  'slow',
  'stale',
] as const
export type TestScenario = (typeof TEST_SCENARIOS)[number]
