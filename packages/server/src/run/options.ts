import { type Command, InvalidArgumentError, type Option } from 'commander'
import { distance } from 'fastest-levenshtein'
import type { QueryInput } from '../acts/query.ts'
import { ROLE } from '../base/domain/access-settings.ts'
import { isDeploymentRole, ROLES, type Role } from '../base/domain/account.ts'
import type { Organization } from '../base/domain/organization.ts'
import {
  breach,
  documentedName,
  findingIn,
  helpOf,
  isNumeric,
  type Rule,
  type Rules,
  readValue,
} from '../base/domain/setting-rule.ts'
import { DAY_MS, parseDate, parseInstant } from '../base/domain/time/time.ts'
import type { Store } from '../engine/store/store.ts'
import { option } from './command.ts'
import { UsageError } from './failure.ts'

/*
 * Options that commands share: settings, ids, and the organization with its items.
 */

/**
 * Adds an option for each setting: `plateNumber` becomes `--plate-number`, and a setting that is true or false
 * becomes the switches `--create-objects` and `--no-create-objects`. A value that breaks its rule is wrong use.
 * The settings that have a word for null come last. `others`: settings that have options of their own. `clearable`:
 * reads a setting that has a word for null.
 */
export function addSettingOptions<Settings>(
  command: Command,
  rules: Rules<Settings>,
  others: readonly string[] = [],
  clearable: ClearableReader = orWord,
): Command {
  const given = Object.entries<Rule>(rules).filter(([key]) => !others.includes(key))
  const [withWord, plain] = [true, false].map((hasWord) =>
    given.filter(([, { none }]) => (none !== undefined) === hasWord),
  )
  for (const [key, rule] of [...plain!, ...withWord!]) {
    for (const each of optionsOf(dashed(key), rule, clearable)) command.addOption(each)
  }
  return command
}

function optionsOf(name: string, rule: Rule, clearable: ClearableReader): Option[] {
  const help = helpOf(rule)
  if (rule.schema.type === 'boolean') {
    return [option(`--${name}`, help), option(`--no-${name}`, `the opposite of --${name}`)]
  }
  const { schema, placeholder = schema.type === 'array' ? 'list' : name.split('-').at(-1) } = rule
  const flag = `--${name} <${placeholder}>`
  if (rule.none !== undefined)
    return [option(flag, help).argParser(clearable(rule, rule.none, name))]
  if (schema.type === 'array') return [option(flag, help).argParser(valueReader(rule, name))]
  const clearing = rule.optional ? "; '' clears it" : ''
  return [option(flag, `${help}: ${rule.says}${clearing}`).argParser(settingReader(rule))]
}

/** Adds an option for each parameter of a query. `others`: parameters that have options of their own, or none. */
export function addParameterOptions<Values>(
  command: Command,
  { rules, defaults }: Pick<QueryInput<Values>, 'rules' | 'defaults'>,
  others: readonly string[] = [],
): Command {
  for (const [key, rule] of Object.entries<Rule>(rules)) {
    if (others.includes(key)) continue
    const { schema, placeholder = dashed(key).split('-').at(-1), says } = rule
    const limits = isNumeric(rule) ? `: ${says}` : ''
    if (schema.type === 'boolean') {
      command.addOption(option(`--${dashed(key)}`, helpOf(rule)))
      continue
    }
    const made = option(`--${dashed(key)} <${placeholder}>`, `${helpOf(rule)}${limits}`)
    made.default(defaults[key as keyof Values])
    if (schema.enum === undefined) made.argParser(settingReader(rule))
    else made.choices(schema.enum)
    command.addOption(made)
  }
  return command
}

/** The parameters that were given. */
export function givenQuery(rules: Rules<object>, options: Record<string, unknown>) {
  const given = Object.keys(rules).filter((key) => options[key] !== undefined)
  const named = given.map((key) => [documentedName(key), String(options[key])])
  return new URLSearchParams(Object.fromEntries(named))
}

export type ClearableReader = (
  rule: Rule,
  none: string,
  name: string,
) => (written: string) => unknown

/** Reads a number, or the word for "none". Like every cleared setting, none is ''. */
function orWord(rule: Rule, word: string): (written: string) => number | '' {
  return (written) => {
    if (written === word) return ''
    const value = readValue(rule, written)
    if (typeof value === 'number') return value
    throw new InvalidArgumentError(`it must be ${rule.says}, or ${word}`)
  }
}

/** Reads a value, or a list with commas, or the word for all. Like every cleared setting, all is ''. */
export function orAll(rule: Rule, all: string, name: string): (written: string) => unknown {
  const read = valueReader(rule, name)
  return (written) => (written === all || written === '' ? '' : read(written))
}

/** Reads a value, or a list with commas. */
function valueReader(rule: Rule, name: string): (written: string) => unknown {
  return (written) => {
    const value = valueIn(rule, written)
    const found = findingIn(rule, value)
    if (found === undefined) return value
    throw new UsageError(`--${name} ${breach(rule, written, found)}`)
  }
}

function valueIn(rule: Rule, written: string): unknown {
  const { type, items } = rule.schema
  if (type !== 'array') return readValue(rule, written)
  if (rule.readList !== undefined) return rule.readList(written)
  const words = written.split(',').map((word) => word.trim())
  return (items as { type: string }).type === 'integer' ? words.map(Number) : words
}

/** The settings that were given. */
export function givenSettings<Settings>(
  rules: Rules<Settings>,
  options: Record<string, unknown>,
): Partial<Settings> {
  const given = Object.keys(rules)
    .filter((key) => options[key] !== undefined)
    .map((key) => [key, options[key] === '' ? null : options[key]])
  return Object.fromEntries(given) as Partial<Settings>
}

/** The same as the body of an act, by their documented names. */
export function givenBody<Settings>(
  rules: Rules<Settings>,
  options: Record<string, unknown>,
): Record<string, unknown> {
  const given = Object.entries(givenSettings(rules, options))
  return Object.fromEntries(given.map(([key, value]) => [documentedName(key), value]))
}

/** Parses a field. A cleared one stays '', because commander uses null for a missing value. */
export function settingReader(rule: Rule): (written: string) => string | number {
  return (written) => {
    const value = readValue(rule, written)
    if (value === undefined) throw new InvalidArgumentError(`it ${breach(rule, written)}`)
    return value ?? ''
  }
}

export function refuseEmpty(patch: object): void {
  if (Object.keys(patch).length === 0) {
    throw new UsageError('nothing to change; set at least one option, see --help')
  }
}

function dashed(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

/** An id: a whole number from 1. */
export function id(written: string): number {
  const value = Number(written)
  if (!/^\d+$/.test(written) || !Number.isSafeInteger(value) || value < 1) {
    throw new InvalidArgumentError('it must be an id, a whole number such as 7')
  }
  return value
}

/** The beginning of a day in UTC, in milliseconds since the epoch. */
export function day(written: string): number {
  const date = parseDate(written)
  if (date === undefined) throw new InvalidArgumentError('it must be a date such as 2026-11-20')
  return date
}

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS }

/** Milliseconds of a duration such as `90d`. */
export function duration(written: string): number {
  const milliseconds = parseDuration(written)
  if (milliseconds === undefined) {
    throw new InvalidArgumentError('it must be a duration such as 30m, 24h, 90d or 12w')
  }
  return milliseconds
}

/**
 * An expiry in milliseconds since the epoch: a moment, a date (its last millisecond in UTC) or a duration
 * from now.
 */
export function ending(written: string, now: number): number {
  const date = parseDate(written)
  const length = parseDuration(written)
  const end =
    date !== undefined
      ? date + DAY_MS - 1
      : length !== undefined
        ? now + length
        : parseInstant(written)
  if (end === undefined) {
    throw new InvalidArgumentError(
      'it must be a date such as 2027-01-31, a time such as 2027-01-31T12:00:00Z or a duration such as 90d',
    )
  }
  if (end <= now) throw new InvalidArgumentError('it must be in the future')
  return Math.floor(end)
}

function parseDuration(written: string): number | undefined {
  const match = /^(\d{1,6})([smhdw])$/.exec(written)
  return match === null ? undefined : Number(match[1]) * UNIT_MS[match[2] as keyof typeof UNIT_MS]
}

export function roleOption(): Option {
  return option('--role <role>', `what it allows: ${ROLES.join(', ')}; required`)
    .argParser(settingReader(ROLE))
    .makeOptionMandatory()
}

/** `people roles` only shows the roles without it. */
export function newRoleOption(): Option {
  return option('--role <role>', `the role to set: ${ROLES.join(', ')}`).argParser(
    settingReader(ROLE),
  )
}

/** Refuses a role of an organization without `--org`, and a role of the deployment with it. */
export function refuseMisplacedRole(role: Role, organization: unknown): void {
  const isOfDeployment = isDeploymentRole(role)
  if (isOfDeployment === (organization === undefined)) return
  throw new UsageError(
    isOfDeployment
      ? `--role ${role} applies to the whole deployment: omit --org`
      : `--role ${role} requires --org`,
  )
}

export function roleOrganizationOption(): Option {
  return option(
    '--org <id>',
    'the organization of the role; for administrator and viewer, and for no other',
  ).argParser(id)
}

/** The organization of a command. */
export type OwnerOptions = { org: number }

export function ownerOption(): Option {
  return option('--org <id>', 'the organization, by its id; required')
    .argParser(id)
    .makeOptionMandatory()
}

/** A command with it shows all organizations without the option. */
export function optionalOwnerOption(): Option {
  return option('--org <id>', 'only this organization, by its id (default: all)').argParser(id)
}

/** The ids of organizations that somebody names by ids or names. The error for an unknown name has the nearest one. */
export async function organizationsNamed(
  store: Store,
  written: readonly string[],
): Promise<number[]> {
  const all = await store.organizations.list()
  return written.map((asked) => {
    if (/^\d+$/.test(asked)) return id(asked)
    const named = all.filter(({ name }) => name.toLowerCase() === asked.toLowerCase())
    if (named.length === 1) return named[0]!.id
    const alike = named.length > 1 ? named : all.toSorted(byDistanceTo(asked)).slice(0, 1)
    const shown = alike.map((each) => `${each.name} (${each.id})`).join(', ')
    throw new Error(
      `${named.length > 1 ? 'several organizations have' : 'no organization has'} the name '${asked}'${shown && `: give the id, such as ${shown}`}; 'fleetgate org list' lists them`,
    )
  })
}

function byDistanceTo(asked: string) {
  const far = ({ name }: Organization) => distance(asked.toLowerCase(), name.toLowerCase())
  return (a: Organization, b: Organization) => far(a) - far(b)
}
