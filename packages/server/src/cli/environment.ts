import type { Command, Option } from 'commander'
import { UsageError } from './failure.ts'

const YES = ['1', 'true', 'yes', 'on']
const NO = ['0', 'false', 'no', 'off']

/** `--admin-port` is `FLEETGATE_ADMIN_PORT`. */
export function environmentName(longFlag: string): string {
  return `FLEETGATE_${longFlag.replace(/^--/, '').replaceAll('-', '_').toUpperCase()}`
}

/**
 * Removes variables that count as unset, because commander takes every existing one: empty ones, and
 * switches that say no (`FLEETGATE_JSON=0`).
 */
export function settleEnvironment(command: Command, environment: NodeJS.ProcessEnv): void {
  for (const option of command.options) {
    const name = option.envVar
    const value = name === undefined ? undefined : environment[name]
    if (name === undefined || value === undefined) continue
    if (value === '' || (isSwitch(option) && NO.includes(value.toLowerCase()))) {
      delete environment[name]
    } else if (isSwitch(option) && !YES.includes(value.toLowerCase())) {
      throw new UsageError(`${name} is '${value}' but must be 1 or 0, for ${option.long}`)
    }
  }
  for (const child of command.commands) settleEnvironment(child, environment)
}

/** `--no-create-objects` is a switch too. If its variable says no, it is not given. */
function isSwitch(option: Option): boolean {
  return option.isBoolean() || option.negate
}
