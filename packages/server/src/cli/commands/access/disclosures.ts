import { type Command, InvalidArgumentError } from 'commander'
import type { Disclosure } from '../../../domain/disclosure.ts'
import { DAY_MS, formatDate, parseDate, utcDay } from '../../../domain/time/time.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, onStore, option } from '../../command.ts'
import { listing } from '../../terminal/listing.ts'
import { id } from '../../value.ts'
import { type OwnerOptions, organizationOf, ownerOption } from '../owner.ts'

type Options = OwnerOptions & { from?: number; to?: number; key?: number; object?: number }

/** The days without `--from`, today among them. */
const DAYS = 30
const ROWS_AT_ONCE = 10_000

export function disclosuresCommand(): Command {
  return command('disclosures', 'show how much of each object each key was shown, day by day', [
    'key disclosures --org 1',
    'key disclosures --org 1 --key 3 --from 2026-12-01 --to 2026-12-07 --json',
  ])
    .addOption(ownerOption())
    .addOption(option('--from <date>', 'the first day in UTC').argParser(day))
    .addOption(option('--to <date>', 'the last day in UTC (default: today)').argParser(day))
    .addOption(option('--key <id>', 'only what this key was shown').argParser(id))
    .addOption(option('--object <id>', 'only what was shown of this object').argParser(id))
    .action(onStore(list))
}

function day(written: string): number {
  const date = parseDate(written)
  if (date === undefined) throw new InvalidArgumentError('it must be a date such as 2026-11-20')
  return date / DAY_MS
}

async function list(store: Store, options: Options): Promise<CommandResult> {
  await organizationOf(store, options.org)
  const { org, key, object, to = utcDay(Date.now()), from = to - DAYS + 1 } = options
  const query = { from, to, key, object }
  const found: Disclosure[] = []
  for (let isMore = true; isMore; ) {
    const page = await store.disclosures.list(org, query, found.at(-1) ?? null, ROWS_AT_ONCE)
    for (const each of page) found.push(each)
    isMore = page.length === ROWS_AT_ONCE
  }
  const json = found.map(({ day: of, organization: _, ...each }) => ({
    date: formatDate(of),
    ...each,
  }))
  return listing(json, ['date', 'key', 'object', 'requests', 'rows'])
}
