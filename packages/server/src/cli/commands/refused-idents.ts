import type { Command } from 'commander'
import { refusedIdentDocument } from '../../operator/rejects.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, onStore } from '../command.ts'
import { listing } from '../terminal/listing.ts'
import { type OwnerOptions, organizationOf, ownerOption } from './owner.ts'

/** Answers "why is my new tracker not there?". */
export function refusedIdentsCommand(): Command {
  return command('refused-idents', 'list the idents that trackers send and that no object has', [
    'objects refused-idents --org 1',
  ])
    .addOption(ownerOption())
    .action(onStore(refusedIdents))
}

async function refusedIdents(store: Store, { org }: OwnerOptions): Promise<CommandResult> {
  await organizationOf(store, org)
  const json = (await store.refusedIdents.list(org)).map(refusedIdentDocument)
  if (json.length === 0) return { json, text: 'Every ident that trackers send has an object.' }
  return listing(json, [
    'ident',
    'packets',
    'last_at',
    'latitude',
    'longitude',
    ['REASON', ({ reason, message }) => `${reason}: ${message}`],
  ])
}
