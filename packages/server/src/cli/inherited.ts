const SETTING = /^FLEETGATE_(?!TEST_)|^(DATABASE_URL|DATABASE_REPLICA_URL|REDIS_URL)$/

/** Whether a variable affects commands. A developer's own variables must not leak into tests. */
export function isSetting(name: string): boolean {
  return SETTING.test(name)
}

/** PostgreSQL servers of tests do not sync, because their data does not outlive the test. */
export const ON_TEST_SERVERS = { FLEETGATE_ALLOW_DATA_LOSS: '1' }

/** This process's environment without the variables that affect commands. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !isSetting(name))
  return { ...Object.fromEntries(inherited), ...ON_TEST_SERVERS }
}
