import type { Command } from 'commander'
import { DIAGNOSIS_ACTS } from '../../acts/diagnosis.ts'
import { storedSettings } from '../../acts/objects.ts'
import {
  refusedIdentDocument,
  refusedIdentsOfAll,
  wrongClocks,
  wrongClocksOfAll,
} from '../../acts/rejects.ts'
import {
  ACCURACY_RULES,
  type Accuracy,
  GIVEN_OBJECT_RULES,
  type MonitoredObject,
  type ObjectSettings,
} from '../../base/domain/monitored-object.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { objectWithoutSignalSince, UNSEEN } from '../../base/domain/position/object-state.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import type { Store } from '../../engine/store/store.ts'
import { encodeObjectDetail } from '../../read/encode/object.ts'
import { measure } from '../../read/formats/numbers.ts'
import { actCommand } from '../act-command.ts'
import { type CommandResult, command, onStore } from '../command.ts'
import {
  addSettingOptions,
  givenSettings,
  type OwnerOptions,
  optionalOwnerOption,
  organizationOf,
} from '../options.ts'
import { type Column, listing } from '../terminal.ts'
import { type ItemCommandKind, itemCommands } from './items.ts'
import { recomputeAdvice } from './recompute.ts'

/*
 * Commands about objects, and about packets that were refused.
 */

const OBJECTS: Omit<ItemCommandKind<MonitoredObject, ObjectSettings>, 'description'> = {
  plural: 'objects',
  hasOwnName: false,
  singular: 'object',
  example: "--name 'Van 12' --plate-number '34 ABC 123'",
  dependents: ' with all its positions',
  store: (store) => store.objects,
  documents,
  columns: [
    'id',
    'name',
    'ident',
    ['PLATE', ({ vehicle_data: data }) => (data as { plate_number: string | null }).plate_number],
    ['LAST PACKET', 'time_server'],
    ['LAST POSITION', 'time_device'],
    ['NO SIGNAL SINCE', 'no_signal_since'],
    'latitude',
    'longitude',
  ],
  addOptions,
  patch,
  advice: recomputeAdvice,
}

export function objectCommands(description: string): Command {
  return itemCommands({ ...OBJECTS, description })
    .addCommand(rejectsCommand())
    .addCommand(refusedIdentsCommand())
    .addCommand(wrongClocksCommand())
}

/** Objects with the documented fields, their settings, and since when they have no signal, in the organization's units. */
async function documents(store: Store, owner: Organization, objects: MonitoredObject[]) {
  const ids = objects.map((object) => object.id)
  const states = await store.positions.states(owner.id, ids)
  const now = Date.now()
  return objects.map((object) => {
    const state = states.get(object.id) ?? UNSEEN
    const since = objectWithoutSignalSince(state, now, owner.signalTimeoutHours)
    return {
      ...JSON.parse(encodeObjectDetail({ object, state }, owner.distanceUnit)),
      odometer_offset: measure(object.odometerOffset, owner.distanceUnit),
      maximum_gap: object.accuracy.maximumGap,
      no_signal_since: since === null ? null : formatInstant(since),
    }
  })
}

function addOptions(update: Command): Command {
  return addSettingOptions(addSettingOptions(update, GIVEN_OBJECT_RULES), ACCURACY_RULES)
}

function patch(
  options: Record<string, unknown>,
  object: MonitoredObject,
  owner: Organization,
): Partial<ObjectSettings> {
  const given = givenSettings<Omit<ObjectSettings, 'accuracy'>>(GIVEN_OBJECT_RULES, options)
  const accuracy = givenSettings<Accuracy>(ACCURACY_RULES, options)
  return storedSettings(given, accuracy, object.accuracy, owner)
}

function rejectsCommand(): Command {
  return actCommand(DIAGNOSIS_ACTS.listRejects, {
    name: 'rejects',
    examples: ['objects rejects --org 1 7'],
    show({ items }) {
      if (items.length === 0) return { json: items, text: 'No packet of it was rejected.' }
      return listing(items, [
        ['RECEIVED', 'time_server'],
        'time_device',
        ['POSITION', ({ stored }) => (stored ? 'stored' : 'rejected')],
        'hdop',
        ['LEVEL', 'gps_level'],
        'latitude',
        'longitude',
        ['REASON', ({ reason, message }) => `${reason}: ${message}`],
      ])
    },
  })
}

/** Answers "why is my new tracker not there?". */
function refusedIdentsCommand(): Command {
  return command(
    'refused-idents',
    'list the idents that trackers send and that no object has; a new one appears after two seconds',
    ['objects refused-idents', 'objects refused-idents --org 1'],
  )
    .addOption(optionalOwnerOption())
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
function wrongClocksCommand(): Command {
  return command(
    'wrong-clocks',
    'list the objects whose packets are refused because of their time',
    ['objects wrong-clocks', 'objects wrong-clocks --org 1'],
  )
    .addOption(optionalOwnerOption())
    .action(onStore(showWrongClocks))
}

async function showWrongClocks(
  store: Store,
  { org }: Partial<OwnerOptions>,
): Promise<CommandResult> {
  if (org === undefined) {
    return clockList(await wrongClocksOfAll(store, Date.now()), [['ORG', 'organization']])
  }
  await organizationOf(store, org)
  return clockList(await wrongClocks(store, org, Date.now()), [])
}

type WrongClock = Awaited<ReturnType<typeof wrongClocks>>[number]

function clockList<Each extends WrongClock>(
  json: Each[],
  first: readonly Column<Each>[],
): CommandResult {
  if (json.length === 0) return { json, text: 'No device has sent a wrong time since yesterday.' }
  return listing(json, [
    ...first,
    'id',
    'ident',
    'packets',
    ['RECEIVED', 'time_server'],
    'time_device',
    ['REASON', ({ reason, message }) => `${reason}: ${message}`],
  ])
}
