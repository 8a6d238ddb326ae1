import type { Command } from 'commander'
import {
  askForRecords,
  NO_SIGNAL_SINCE,
  readPage,
  reportRow,
  rowsOfPages,
} from '../../acts/records.ts'
import { RECORD_TYPES, type RecordType } from '../../base/domain/items.ts'
import type { Store } from '../../engine/store/store.ts'
import { messageOf } from '../../read/messages/messages.ts'
import { UNLIMITED } from '../../read/parameters/parameter.ts'
import type { Refusal } from '../../read/refusal.ts'
import { RECORDS, type RecordsQuery } from '../../read/rows/record-selection.ts'
import { type CommandResult, command, group, onStore, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import { duration, type OwnerOptions, organizationOf, ownerOption } from '../options.ts'
import { type Cell, type Column, listing } from '../terminal.ts'

/** Trips, stops and visits of a range of time, as the public API has them, and since when open ones have no signal. */
export function recordCommands(description: string): Command {
  return group('records', description, RECORD_TYPES.map(recordCommand))
}

type RecordOptions = OwnerOptions & {
  from: string
  to: string
  objects?: string
  geofences?: string
  sites?: string
  minDuration?: number
}

function recordCommand(type: RecordType): Command {
  const range = `records ${type} --org 1 --from 2026-11-20`
  const made = command(type, `list the ${type} of a range of time`, [
    `${range} --to 2026-11-20`,
    `${range}T08:00:00Z --to 2026-11-20T17:00:00Z --objects 7,8 --json`,
  ])
    .addOption(ownerOption())
    .addOption(required('--from <time>', 'the start: a date or a time, in UTC'))
    .addOption(required('--to <time>', 'the end, included: a date or a time, in UTC'))
    .addOption(option('--objects <ids>', 'only these objects, by ids separated by commas'))
  if (type === 'visits') {
    made
      .addOption(option('--geofences <ids>', 'only visits to these geofences'))
      .addOption(option('--sites <ids>', 'only visits to these sites'))
  }
  if (type !== 'trips') {
    made.addOption(
      option('--min-duration <duration>', 'only those that last at least this long').argParser(
        (written: string) => duration(written),
      ),
    )
  }
  return made.action(onStore((store, options: RecordOptions) => list(store, options, type)))
}

function required(flags: string, description: string) {
  return option(flags, `${description}; required`).makeOptionMandatory()
}

async function list(
  store: Store,
  options: RecordOptions,
  type: RecordType,
): Promise<CommandResult> {
  const organization = await organizationOf(store, options.org)
  const asked = accepted(queryOf(options, type))
  const listed = await store.objects.list(organization.id)
  const objects = new Map(listed.map((object) => [object.id, { object }]))
  const place = { after: null, now: Date.now() }
  const parts = { organization, objects, knownAddresses: null }
  const found = accepted(await askForRecords(store, type, asked, place, parts))
  const pages = rowsOfPages(store, found, await readPage(store, found))
  const rows = (await Array.fromAsync(pages)).flat()
  const json = rows.map((row) => reportRow(type, row, organization, place.now) as Row)
  const answer = listing(json, ['id', 'object_id', 'name', ...SHOWN[type]])
  if (found.until !== null) return answer
  const failure = `the ${type} of organization ${organization.id} are not all derived yet; a running server derives them, so try again in a moment`
  return { ...answer, failure }
}

/** The options as the parameters of the public API. */
function queryOf(options: RecordOptions, type: RecordType): RecordsQuery | Refusal {
  const { from, to, objects, geofences, sites, minDuration } = options
  const seconds = minDuration === undefined ? undefined : String(minDuration / 1_000)
  const given = { from_time: from, to_time: to, ids: objects, geofences, sites, limit: '10000' }
  const query = new Map<string, string[]>()
  for (const [name, value] of Object.entries({ ...given, min_duration: seconds })) {
    if (value !== undefined) query.set(name, [value])
  }
  return RECORDS[type].read(query, UNLIMITED)
}

/** The options that the public API knows by other names. */
const OPTIONS: Record<string, string> = { from_time: '--from', to_time: '--to', ids: '--objects' }

function accepted<Value extends object>(read: Value | Refusal): Value {
  if (!('status' in read)) return read
  const message = messageOf(read as Refusal, 'en')
  throw new UsageError(message.replaceAll(/from_time|to_time|\bids\b/g, (name) => OPTIONS[name]!))
}

type Row = Record<string, Cell>

/** The end, or since when an open record has had no signal. */
function endOf({ end_time, [NO_SIGNAL_SINCE]: since }: Row): Cell {
  return end_time ?? (since ? `no signal since ${since}` : null)
}

const SPAN: Column<Row>[] = ['start_time', ['END TIME', endOf], 'duration']
const SHOWN: Record<RecordType, readonly Column<Row>[]> = {
  trips: [...SPAN, 'distance', 'max_speed', 'start_address', 'end_address'],
  stops: [...SPAN, 'idle_time', 'latitude', 'longitude', 'address'],
  visits: [...SPAN, 'distance', 'place_type', 'place_id', 'place_name'],
}
