const SETTING = /^FLEETGATE_(?!TEST_)|^(DATABASE_URL|DATABASE_REPLICA_URL|REDIS_URL)$/

/** Whether a variable decides what a command does: a developer's own must not leak into what is tested. */
export function isSetting(name: string): boolean {
  return SETTING.test(name)
}

/** The PostgreSQL servers of tests do not sync, since nothing of them outlasts the test. */
export const ON_TEST_SERVERS = { FLEETGATE_ALLOW_DATA_LOSS: '1' }

/** This process's environment without what would settle a command for a test. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !isSetting(name))
  return { ...Object.fromEntries(inherited), ...ON_TEST_SERVERS }
}
