const SETTING = /^FLEETGATE_(?!TEST_)|^(DATABASE_URL|DATABASE_REPLICA_URL|REDIS_URL)$/

/** Whether a variable decides what a command does: a developer's own must not leak into what is tested. */
export function isSetting(name: string): boolean {
  return SETTING.test(name)
}

/** This process's environment without what would settle a command for a test. */
export function inheritedEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name)))
}
