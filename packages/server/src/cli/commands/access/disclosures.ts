import type { Command } from 'commander'
import { utcDay } from '../../../domain/time/time.ts'
import { askDisclosures, DISCLOSURE_DAYS, disclosurePages } from '../../../operator/disclosures.ts'
import type { Store } from '../../../store/store.ts'
import { type CommandResult, command, onStore, option } from '../../command.ts'
import { listing } from '../../terminal/listing.ts'
import { day, id } from '../../value.ts'
import { type OwnerOptions, organizationOf, ownerOption } from '../owner.ts'

type Options = OwnerOptions & {
  from?: number
  to?: number
  recipient?: string
  key?: number
  object?: number
  totals?: boolean
}

const ROWS_AT_ONCE = 10_000

export function disclosuresCommand(): Command {
  return command(
    'disclosures',
    'show how much of each object each key was shown, day by day; answers count after a minute',
    [
      'key disclosures --org 1',
      'key disclosures --org 1 --totals --object 7',
      "key disclosures --org 1 --recipient 'Insurer Ltd' --json",
      'key disclosures --org 1 --key 3 --from 2026-12-01 --to 2026-12-07 --json',
    ],
  )
    .addOption(ownerOption())
    .addOption(option('--from <date>', 'the first day in UTC').argParser(dayNumber))
    .addOption(option('--to <date>', 'the last day in UTC (default: today)').argParser(dayNumber))
    .addOption(
      option(
        '--recipient <name>',
        "only data that this recipient was given; '' for data that was given without a recipient",
      ),
    )
    .addOption(option('--key <id>', 'only data that this key was shown').argParser(id))
    .addOption(option('--object <id>', 'only data of this object').argParser(id))
    .addOption(option('--totals', 'show the totals of each recipient, purpose and kind of data'))
    .action(onStore(list))
}

const dayNumber = (written: string) => utcDay(day(written))

async function list(store: Store, options: Options): Promise<CommandResult> {
  const { org, recipient, key, object, to = utcDay(Date.now()) } = options
  const { from = to - DISCLOSURE_DAYS + 1 } = options
  await organizationOf(store, org)
  const objects = new Map((await store.objects.list(org)).map((each) => [each.id, each]))
  const query = { from, to, recipient, key, object }
  const asked = await askDisclosures(store, org, query, (id) => objects.get(id))
  if (options.totals) {
    return listing(await asked.totals(), [
      ...(['recipient', 'purpose', 'data', 'keys', 'objects'] as const),
      ...(['first_date', 'last_date', 'rows'] as const),
    ])
  }
  const first = await asked.page(null, ROWS_AT_ONCE)
  const pages = await Array.fromAsync(disclosurePages(asked, first, ROWS_AT_ONCE))
  return listing(pages.flat(), [
    ...(['date', 'key', 'recipient', 'purpose'] as const),
    ...(['object', 'data', 'requests', 'rows'] as const),
  ])
}
