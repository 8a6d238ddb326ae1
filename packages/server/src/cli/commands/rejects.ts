import type { Command } from 'commander'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import { UNSEEN } from '../../domain/position/object-state.ts'
import { rejectDocument } from '../../operator/rejects.ts'
import { writtenInstant } from '../../operator/schema.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, onStore } from '../command.ts'
import { listing } from '../terminal/listing.ts'
import { id } from '../value.ts'
import { type OwnerOptions, objectOf, organizationOf, ownerOption } from './owner.ts'

/** Answers "why is my vehicle not moving?". */
export function rejectsCommand(): Command {
  return command('rejects', "show an object's last packets that were not accepted, and why", [
    'objects rejects --org 1 7',
  ])
    .argument('<id>', 'its id', id)
    .addOption(ownerOption())
    .action(onStore(rejects))
}

async function rejects(
  store: Store,
  { org }: OwnerOptions,
  objectId: number,
): Promise<CommandResult> {
  await organizationOf(store, org)
  const object = await objectOf(store, org, objectId)
  const rejected = await store.positions.rejects(org, objectId)
  const json = rejected.map(rejectDocument)
  if (json.length === 0) return { json, text: await nothingText(store, object) }
  return listing(json, [
    ['RECEIVED', 'time_server'],
    'time_device',
    ['POSITION', ({ stored }) => (stored ? 'stored' : 'rejected')],
    'hdop',
    ['LEVEL', 'gps_level'],
    'latitude',
    'longitude',
    ['REASON', ({ reason, message }) => `${reason}: ${message}`],
  ])
}

/** Nothing was rejected, so show when the last packet came. */
async function nothingText(store: Store, { organization, id: object }: MonitoredObject) {
  const { timeServer, lastFix } =
    (await store.positions.states(organization, [object])).get(object) ?? UNSEEN
  if (timeServer === null) return `Nothing has ever come from object ${object}`
  const last =
    lastFix === null ? '' : `, its last position is of ${writtenInstant(lastFix.timeDevice)}`
  return `No packet of object ${object} was refused: the last one came ${writtenInstant(timeServer)}${last}`
}
