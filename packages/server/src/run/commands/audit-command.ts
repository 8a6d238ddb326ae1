import type { Command } from 'commander'
import { AUDIT_ACTS } from '../../acts/audit/audit-acts.ts'
import type { auditPage } from '../../acts/audit/entry.ts'
import { actCommand } from '../act-command.ts'
import { option } from '../command.ts'
import { id } from '../options.ts'
import { type Cell, listing } from '../terminal.ts'

const { deployment, organization } = AUDIT_ACTS

export function auditCommand(description: string): Command {
  return actCommand(
    { deployment: deployment.list, organization: organization.list },
    {
      name: 'audit',
      description,
      examples: ['audit', 'audit --org 1 --limit 500 --json', 'audit --before 1200'],
      options: (to) =>
        to.addOption(
          option('--org <id>', 'only changes of this organization, deleted or not').argParser(id),
        ),
      show(json) {
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
      },
    },
  )
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
