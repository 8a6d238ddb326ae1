import { type Command, Option } from 'commander'
import { parseRedisUrl } from '../data/live/redis-url.ts'
import type { DeploymentLocation, StoreLocation } from './compose.ts'
import { UsageError } from './failure.ts'

/** The parsed options of `locationOf` and `deploymentLocationOf`. */
export type LocationOptions = {
  data: string
  database?: string
  allowDataLoss?: boolean
}

export type DeploymentLocationOptions = LocationOptions & {
  databaseReplica: string[]
  redis?: string
  strictLimits?: boolean
}

/** Hosting platforms provide such addresses in variables of these names. */
export function databaseOption(): Option {
  return new Option('--database <url>', 'a PostgreSQL database, instead of the data folder')
    .env('DATABASE_URL')
    .argParser((written) => readUrl('--database', DATABASE, written))
}

const ALLOW_DATA_LOSS = '--allow-data-loss'

/** For a test database, whose loss in a crash does not matter. */
export function allowDataLossOption(): Option {
  return new Option(
    ALLOW_DATA_LOSS,
    'use a PostgreSQL that can lose acknowledged data in a crash (fsync = off)',
  ).env(environmentName(ALLOW_DATA_LOSS))
}

export function sharedDeploymentOptions(): Option[] {
  return [
    new Option(
      '--database-replica <urls>',
      'replicas of the database, from which histories are read; separated by commas, or repeated',
    )
      .env('DATABASE_REPLICA_URL')
      .default([], 'none')
      .argParser((written, before: string[]) => [
        ...before,
        ...written.split(',').map((each) => readUrl('--database-replica', DATABASE, each.trim())),
      ]),
    new Option('--redis <url>', 'Redis or Valkey, single or a Cluster; requires --database')
      .env('REDIS_URL')
      .argParser((written) => readUrl('--redis', REDIS, written)),
  ]
}

/** Where a command finds its data. The command line wins over the environment. */
export function locationOf(self: Command): StoreLocation {
  const { data, database, allowDataLoss = false } = self.opts<LocationOptions>()
  if (database === undefined) return { folder: data }
  if (isWritten(self, 'data')) {
    if (isWritten(self, 'database')) {
      throw new UsageError('use one of --data or --database')
    }
    return { folder: data }
  }
  return { database, allowDataLoss }
}

/** Where a server finds its data. With a database it needs Redis too. */
export function deploymentLocationOf(self: Command): DeploymentLocation {
  const { redis, databaseReplica, strictLimits } = self.opts<DeploymentLocationOptions>()
  const location = locationOf(self)
  if ('folder' in location) {
    refuseBeside(self)
    return location
  }
  if (redis === undefined) {
    throw new UsageError(
      `${nameOf(self, 'database')} requires --redis or REDIS_URL: processes share limits and live states through Redis`,
    )
  }
  return {
    database: location.database,
    allowDataLoss: location.allowDataLoss === true,
    replicas: databaseReplica,
    redis,
    isStrict: strictLimits === true,
  }
}

/** Options that have no meaning with a data folder. */
function refuseBeside(self: Command): void {
  const isFolderWritten = isWritten(self, 'data')
  for (const key of ['redis', 'databaseReplica', 'strictLimits'] as const) {
    const source = self.getOptionValueSource(key)
    if (source === undefined || source === 'default') continue
    // The environment may name another deployment than the command line.
    if (source === 'env' && isFolderWritten) continue
    throw new UsageError(
      `${nameOf(self, key)} requires --database or DATABASE_URL; a data folder (--data) does not use it`,
    )
  }
}

/** How an option was given: as a flag or as a variable. */
function nameOf(self: Command, key: string): string {
  const option = self.options.find((each) => each.attributeName() === key)!
  return isWritten(self, key) ? option.long! : option.envVar!
}

function isWritten(self: Command, key: string): boolean {
  return self.getOptionValueSource(key) === 'cli'
}

/** Where a server finds its data, without secrets. */
export function shownLocation(location: DeploymentLocation): { data: string; redis?: string } {
  if ('folder' in location) return { data: location.folder }
  return { data: bareUrl(location.database), redis: bareUrl(location.redis) }
}

/** A URL without user, password and parameters, any of which may be a secret. */
export function bareUrl(url: string): string {
  const [, scheme, rest] = /^([a-z+]+:\/\/)(?:.*@)?([^?#]*)/is.exec(url) ?? []
  return scheme === undefined ? '' : scheme + rest
}

type Kind = { isOne(url: string): boolean; example: string }

const DATABASE: Kind = {
  isOne: (url) => /^postgres(ql)?:\/\//.test(url) && URL.canParse(url),
  example: 'postgres://host:5432/database, with user:password@ before the host',
}
const REDIS: Kind = {
  isOne: (url) => parseRedisUrl(url) !== null,
  example:
    'redis://host:6379, with :password@ before the host, of a Cluster redis://host:6379,other:6379, with ?timeout=250 (milliseconds, 10 or more) after it',
}

/** Do not use commander's own error, which repeats the value with its password. */
function readUrl(flag: string, { isOne, example }: Kind, written: string): string {
  if (isOne(written)) return written
  throw new UsageError(`${flag} must be a URL such as ${example}`)
}

/** A data folder or the URL of a database. `flag` takes either. */
export function readPlace(flag: string, written: string): StoreLocation {
  return written.includes('://')
    ? { database: readUrl(flag, DATABASE, written) }
    : { folder: written }
}

/** A place of `readPlace` with the choice of `--allow-data-loss`, which is about databases alone. */
export function withDataLoss(place: StoreLocation, allowDataLoss = false): StoreLocation {
  return 'folder' in place ? place : { ...place, allowDataLoss }
}

/** A location without secrets. */
export function placeText(place: StoreLocation): string {
  return 'folder' in place ? place.folder : bareUrl(place.database)
}

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
      throw new UsageError(`${name} must be 1 or 0, not '${value}' (for ${option.long})`)
    }
  }
  for (const child of command.commands) settleEnvironment(child, environment)
}

/** `--no-create-objects` is a switch too. If its variable says no, it is not given. */
function isSwitch(option: Option): boolean {
  return option.isBoolean() || option.negate
}
