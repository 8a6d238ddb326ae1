import type { Command } from 'commander'
import { wrongClocks } from '../../operator/wrong-clocks.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, onStore } from '../command.ts'
import { listing } from '../terminal/listing.ts'
import { type OwnerOptions, organizationOf, ownerOption } from './owner.ts'

/** Answers "why are all packets of these vehicles lost?". */
export function wrongClocksCommand(): Command {
  return command(
    'wrong-clocks',
    'list the objects whose packets are refused because of their time',
    ['objects wrong-clocks --org 1'],
  )
    .addOption(ownerOption())
    .action(onStore(show))
}

async function show(store: Store, { org }: OwnerOptions): Promise<CommandResult> {
  await organizationOf(store, org)
  const json = await wrongClocks(store, org, Date.now())
  if (json.length === 0) return { json, text: 'No device has sent a wrong time since yesterday.' }
  return listing(json, [
    'id',
    'ident',
    'packets',
    ['RECEIVED', 'time_server'],
    'time_device',
    ['REASON', ({ reason, message }) => `${reason}: ${message}`],
  ])
}
