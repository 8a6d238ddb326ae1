import type { Command } from 'commander'
import { refusedIdentDocument, refusedIdentsOfAll } from '../../operator/rejects.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, onStore } from '../command.ts'
import { type Column, listing } from '../terminal/listing.ts'
import { type OwnerOptions, organizationOf, ownerOption } from './owner.ts'

/** Answers "why is my new tracker not there?". */
export function refusedIdentsCommand(): Command {
  return command(
    'refused-idents',
    'list the idents that trackers send and that no object has; a new one appears after two seconds',
    ['objects refused-idents', 'objects refused-idents --org 1'],
  )
    .addOption(ownerOption().makeOptionMandatory(false))
    .action(onStore(refusedIdents))
}

async function refusedIdents(store: Store, { org }: Partial<OwnerOptions>): Promise<CommandResult> {
  if (org === undefined) return answer(await refusedIdentsOfAll(store), [['ORG', 'organization']])
  await organizationOf(store, org)
  return answer((await store.refusedIdents.list(org)).map(refusedIdentDocument), [])
}

type Refused = ReturnType<typeof refusedIdentDocument>

function answer<Each extends Refused>(json: Each[], first: readonly Column<Each>[]): CommandResult {
  if (json.length === 0) return { json, text: 'Every ident that trackers send has an object.' }
  return listing(json, [
    ...first,
    'ident',
    'packets',
    'last_at',
    'latitude',
    'longitude',
    ['REASON', ({ reason, message }) => `${reason}: ${message}`],
  ])
}
