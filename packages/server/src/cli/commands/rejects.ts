import type { Command } from 'commander'
import type { MonitoredObject } from '../../domain/monitored-object.ts'
import { UNSEEN } from '../../domain/position/object-state.ts'
import { refusedIdentDocument, refusedIdentsOfAll, rejectDocument } from '../../operator/rejects.ts'
import { writtenInstant } from '../../operator/schema.ts'
import { wrongClocks } from '../../operator/wrong-clocks.ts'
import type { Store } from '../../store/store.ts'
import { type CommandResult, command, onStore } from '../command.ts'
import { id } from '../options.ts'
import { type Column, listing } from '../table.ts'
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
