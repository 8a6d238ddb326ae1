import { type Command, InvalidArgumentError } from 'commander'
import { breach, type Fault, type Rule, type Rules, readValue } from '../../domain/settings/rule.ts'
import { option } from '../command.ts'
import { UsageError } from '../failure.ts'

/**
 * Adds an option for each setting: `plateNumber` becomes `--plate-number`, and a setting that is true or false
 * becomes the switches `--create-objects` and `--no-create-objects`. A value that breaks its rule is wrong use.
 * A setting whose description is null has an option of its own.
 */
export function addSettingOptions<Key extends string>(
  command: Command,
  rules: Readonly<Record<Key, Rule>>,
  descriptions: Readonly<Record<NoInfer<Key>, string | null>>,
): Command {
  for (const key of Object.keys(descriptions) as Key[]) {
    const description = descriptions[key]
    if (description === null) continue
    const rule = rules[key]
    const name = dashed(key)
    if (rule.schema.type === 'boolean') {
      command
        .addOption(option(`--${name}`, description))
        .addOption(option(`--no-${name}`, `the opposite of --${name}`))
      continue
    }
    const flag = `--${name} <${name.split('-').at(-1)}>`
    const clearing = rule.optional ? "; '' clears it" : ''
    command.addOption(
      option(flag, `${description}: ${rule.says}${clearing}`).argParser(settingReader(rule)),
    )
  }
  return command
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
    throw new UsageError('there is nothing to change: give at least one setting, see --help')
  }
}

/** The field `daily_quota` is `--daily-quota` on the command line. */
export function refuse(fault: Fault | undefined): void {
  if (fault !== undefined) throw new UsageError(`${fault.field} ${fault.rule}`)
}

function dashed(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}
