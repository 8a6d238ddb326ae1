import type { Command } from 'commander'
import { auditPage, MAX_AUDIT_LIMIT } from '../../acts/audit/entry.ts'
import { wholeNumber } from '../../base/domain/setting-rule.ts'
import type { Store } from '../../engine/store/store.ts'
import { type CommandResult, command, onStore, option } from '../command.ts'
import { id, organizationOf, settingReader } from '../options.ts'
import { type Cell, listing } from '../terminal.ts'

const LIMIT = wholeNumber(1, MAX_AUDIT_LIMIT)

type AuditOptions = { org?: number; before?: number; limit: number }

export function auditCommand(description: string): Command {
  return command('audit', description, [
    'audit',
    'audit --org 1 --limit 500 --json',
    'audit --before 1200',
  ])
    .addOption(
      option('--org <id>', 'only changes of this organization, deleted or not').argParser(id),
    )
    .addOption(option('--before <id>', 'only entries before this one').argParser(id))
    .addOption(
      option('--limit <entries>', `how many entries: ${LIMIT.says}`)
        .argParser(settingReader(LIMIT))
        .default(50),
    )
    .action(onStore(show))
}

async function show(store: Store, { org, before, limit }: AuditOptions): Promise<CommandResult> {
  const query = { organization: org ?? null, before: before ?? null, limit }
  const json = await auditPage(store, query)
  if (json.items.length === 0 && org !== undefined) await organizationOf(store, org)
  const { text } = listing(json.items, [
    'id',
    'at',
    'actor',
    'action',
    ['ORG', 'organization'],
    'target',
    'name',
    ['CHANGES', ({ changes }) => inWords(changes)],
  ])
  const more = json.next === null ? '' : `\n\nOlder entries: --before ${json.next}`
  return { json, text: text + more }
}

type Changes = Awaited<ReturnType<typeof auditPage>>['items'][number]['changes']

/** `name: "a" to "b", created: 3`. */
function inWords(changes: Changes): Cell {
  if (changes === null) return null
  const parts = Object.entries(changes).map(([setting, { from, to }]) =>
    from === undefined
      ? `${setting}: ${JSON.stringify(to)}`
      : `${setting}: ${JSON.stringify(from)} to ${JSON.stringify(to ?? null)}`,
  )
  return parts.join(', ')
}
