import type { Command } from 'commander'
import { fleetOf, objectOf } from '../../acts/act.ts'
import { discloseFleet } from '../../acts/disclosing.ts'
import type { KnownFleet } from '../../acts/known.ts'
import { OBJECT_ACTS, UPDATE_BY_COMMAND } from '../../acts/object-acts.ts'
import { ALL_WRONG_CLOCKS, REJECT_ACTS } from '../../acts/reject-acts.ts'
import { ROUTING_ACTS } from '../../acts/routing-acts.ts'
import { ACCURACY_RULES } from '../../base/domain/monitored-object.ts'
import type { Organization } from '../../base/domain/organization.ts'
import { objectWithoutSignalSince, UNSEEN } from '../../base/domain/position/object-state.ts'
import { formatInstant } from '../../base/domain/time/time.ts'
import { encodeObjectDetail } from '../../read/encode/object.ts'
import { measure } from '../../read/formats/number-format.ts'
import { actCommand } from '../act-command.ts'
import type { CommandResult } from '../command.ts'
import { say } from '../failure.ts'
import { addSettingOptions, givenBody, optionalOwnerOption } from '../options.ts'
import { type Column, listing } from '../terminal.ts'
import { type ItemActs, itemCommands } from './item-commands.ts'
import { recomputeAdvice } from './recompute-command.ts'

/*
 * Commands about objects, and about packets that were refused.
 */

/** The acts, with the fields that the public API documents. */
const ACTS: ItemActs = {
  list: {
    ...OBJECT_ACTS.listObjects,
    async run(call) {
      const fleet = await fleetOf(call)
      const all = await fleet.warm()
      discloseFleet(call.disclosed, all)
      return { items: all.map((each) => documentOf(each, fleet.organization, call.now)) }
    },
  },
  get: {
    ...OBJECT_ACTS.getObject,
    async run(call) {
      const fleet = await fleetOf(call)
      const object = await objectOf(call)
      const state = (await fleet.committed([object.id])).get(object.id) ?? UNSEEN
      call.disclosed.state(object.id, state)
      return documentOf({ object, state }, fleet.organization, call.now)
    },
  },
  update: {
    ...UPDATE_BY_COMMAND,
    async run(call) {
      const before = await objectOf(call)
      await UPDATE_BY_COMMAND.run(call)
      const advice = await recomputeAdvice(call.store, before, await objectOf(call))
      if (advice !== undefined) say(advice)
      return ACTS.get.run(call)
    },
  },
  delete: OBJECT_ACTS.deleteObject,
}

export function objectCommands(description: string): Command {
  const commands = itemCommands({
    plural: 'objects',
    singular: 'object',
    number: 'object',
    description,
    example: "--name 'Van 12' --plate-number '34 ABC 123'",
    dependents: ' with all its positions',
    acts: ACTS,
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
    update: {
      settings: {},
      options: (to) => addSettingOptions(to, ACCURACY_RULES),
      body(options) {
        const accuracy = givenBody(ACCURACY_RULES, options)
        return Object.keys(accuracy).length === 0 ? {} : { accuracy }
      },
    },
  })
  return commands
    .addCommand(rejectsCommand())
    .addCommand(refusedIdentsCommand())
    .addCommand(wrongClocksCommand())
}

/** An object with the documented fields, its settings, and since when it has no signal, in the organization's units. */
function documentOf(
  each: Awaited<ReturnType<KnownFleet['warm']>>[number],
  { distanceUnit, signalTimeoutHours }: Organization,
  now: number,
): Record<string, unknown> {
  const { object, state } = each
  const since = objectWithoutSignalSince(state, now, signalTimeoutHours)
  return {
    ...JSON.parse(encodeObjectDetail(each, distanceUnit)),
    odometer_offset: measure(object.odometerOffset, distanceUnit),
    maximum_gap: object.accuracy.maximumGap,
    private_hours: object.privateHours,
    private_ranges: object.privateRanges,
    private_time_zone: object.privateTimeZone,
    retention_days: object.retentionDays,
    no_signal_since: since === null ? null : formatInstant(since),
  }
}

function rejectsCommand(): Command {
  return actCommand(REJECT_ACTS.listRejects, {
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
        ['REASON', reasonOf],
      ])
    },
  })
}

/** Answers "why is my new tracker not there?". */
function refusedIdentsCommand(): Command {
  return actCommand(
    { deployment: ROUTING_ACTS.listAllRefusedIdents, organization: REJECT_ACTS.listRefusedIdents },
    {
      name: 'refused-idents',
      description:
        'list the idents that trackers send and that no object has; a new one appears after two seconds',
      examples: ['objects refused-idents', 'objects refused-idents --org 1'],
      options: (to) => to.addOption(optionalOwnerOption()),
      show: ({ items }) =>
        listOr('Every ident that trackers send has an object.', items, [
          'ident',
          'packets',
          'last_at',
          'latitude',
          'longitude',
          ['REASON', reasonOf],
        ]),
    },
  )
}

/** Answers "why are all packets of these vehicles lost?". */
function wrongClocksCommand(): Command {
  return actCommand(
    { deployment: ALL_WRONG_CLOCKS, organization: REJECT_ACTS.listWrongClocks },
    {
      name: 'wrong-clocks',
      description: 'list the objects whose packets are refused because of their time',
      examples: ['objects wrong-clocks', 'objects wrong-clocks --org 1'],
      options: (to) => to.addOption(optionalOwnerOption()),
      show: ({ items }) =>
        listOr('No device has sent a wrong time since yesterday.', items, [
          'id',
          'ident',
          'packets',
          ['RECEIVED', 'time_server'],
          'time_device',
          ['REASON', reasonOf],
        ]),
    },
  )
}

/** A list of one organization, or of all with the organization of each. `none`: what an empty one means. */
function listOr<Row extends object>(
  none: string,
  items: readonly Row[],
  columns: readonly Column<Row>[],
): CommandResult {
  const [first] = items
  if (first === undefined) return { json: items, text: none }
  const organization: Column<Row> = ['ORG', 'organization' as keyof Row & string]
  return listing(items, 'organization' in first ? [organization, ...columns] : columns)
}

function reasonOf({ reason, message }: { reason: string; message: string }): string {
  return `${reason}: ${message}`
}
