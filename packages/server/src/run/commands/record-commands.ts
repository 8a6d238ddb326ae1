import type { Command } from 'commander'
import type { Act } from '../../acts/act.ts'
import { DAY_REPORT } from '../../acts/day-acts.ts'
import { RECORD_ACTS } from '../../acts/record-acts.ts'
import { NO_SIGNAL_SINCE } from '../../acts/record-reports.ts'
import { Refused } from '../../acts/refused.ts'
import { RECORD_TYPES, type RecordType } from '../../base/domain/item-rules.ts'
import { actCommand } from '../act-command.ts'
import { group, option } from '../command.ts'
import { UsageError } from '../failure.ts'
import { duration } from '../options.ts'
import { type Cell, type Column, listing } from '../terminal.ts'

/** Records of a range of time, as the public API has them, and since when open ones have no signal. */
export function recordCommands(description: string): Command {
  return group('records', description, [...RECORD_TYPES.map(recordCommand), dayCommand()])
}

function recordCommand(type: RecordType): Command {
  const range = `records ${type} --org 1 --from 2026-11-20`
  return actCommand(inOptions(RECORD_ACTS[type].report), {
    name: type,
    examples: [
      `${range} --to 2026-11-20`,
      `${range}T08:00:00Z --to 2026-11-20T17:00:00Z --objects 7,8 --json`,
    ],
    options: (to) => withSelection(to, type),
    query: ({ from, to, objects, geofences, sites, minDuration }) => ({
      ...{ from_time: from, to_time: to, ids: objects, geofences, sites },
      min_duration: minDuration === undefined ? undefined : (minDuration as number) / 1_000,
    }),
    show({ organization, isWhole, rows }) {
      const answer = listing(rows as Row[], ['id', 'object_id', 'name', ...SHOWN[type]])
      if (isWhole) return answer
      const failure = `the ${type} of organization ${organization} are not all derived yet; a running server derives them, so try again in a moment`
      return { ...answer, failure }
    },
  })
}

/** The totals of local days, which are computed from positions. */
function dayCommand(): Command {
  const range = 'records days --org 1 --from 2026-11-16 --to 2026-11-22'
  return actCommand(inOptions(DAY_REPORT), {
    name: 'days',
    examples: [range, `${range} --by driver --group by --attributes fuel_level`],
    options: (to) =>
      to
        .addOption(required('--from <date>', 'the first day'))
        .addOption(required('--to <date>', 'the last day, at most 30 days later'))
        .addOption(option('--objects <ids>', 'only these objects, by ids separated by commas'))
        .addOption(option('--by <attribute>', 'a row for each text of it, such as driver'))
        .addOption(option('--group <group>', 'add days up: object, date, or by'))
        .addOption(option('--attributes <names>', 'attributes of each row, separated by commas'))
        .addOption(option('--tz <zone>', "the time zone of days (default: the organization's)")),
    query: ({ from, to, objects, by, group, attributes, tz }) => ({
      ...{ from_date: from, to_date: to, ids: objects, by, group, attributes, tz },
    }),
    show: ({ columns, rows }) =>
      listing(
        rows as Row[],
        columns.filter((each) => SHOWN_OF_DAYS.includes(each) || each.includes('__')),
      ),
  })
}

const SHOWN_OF_DAYS = [
  ...['object_id', 'name', 'value', 'date', 'days', 'distance', 'trips'],
  ...['moving_time', 'idle_time', 'stopped_time'],
]

function withSelection(to: Command, type: RecordType): Command {
  to.addOption(required('--from <time>', 'the start: a date or a time, in UTC'))
    .addOption(required('--to <time>', 'the end, included: a date or a time, in UTC'))
    .addOption(option('--objects <ids>', 'only these objects, by ids separated by commas'))
  if (type === 'visits') {
    to.addOption(option('--geofences <ids>', 'only visits to these geofences')).addOption(
      option('--sites <ids>', 'only visits to these sites'),
    )
  }
  if (type === 'trips') return to
  return to.addOption(
    option('--min-duration <duration>', 'only those that last at least this long').argParser(
      (written: string) => duration(written),
    ),
  )
}

function required(flags: string, description: string) {
  return option(flags, `${description}; required`).makeOptionMandatory()
}

/** The options that the public API knows by other names. */
const OPTIONS: Record<string, string> = {
  ...{ from_time: '--from', to_time: '--to', ids: '--objects' },
  ...{ from_date: '--from', to_date: '--to' },
}

/** The act, with options in place of parameters in its refusals. */
function inOptions<Answer>(act: Act<Answer>): Act<Answer> {
  const named = (message: string) =>
    message.replaceAll(/from_time|to_time|from_date|to_date|\bids\b/g, (name) => OPTIONS[name]!)
  return {
    ...act,
    run: (call) =>
      act.run(call).catch((error) => {
        const isMisuse = error instanceof Refused && error.status === 400
        throw isMisuse ? new UsageError(named(error.message)) : error
      }),
  }
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
  levels: [...SPAN, 'attribute', 'kind', 'amount', 'before', 'after', 'address'],
}
