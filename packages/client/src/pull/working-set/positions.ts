import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite'
import type { Put, Removal, Shift } from '../net-writes.ts'
import { checkedId, checkedNumber, checkedTime } from './checked.ts'
import { dayOf, LAST_TIME } from './day.ts'
import type { Stored } from './stored.ts'

/**
 * The positions of all days, as a table. Pages come by time and the table is by object, so their writes wait until
 * `fold` brings those of a day into the table, sorted. Each call is part of the caller's transaction.
 */
export type Positions = {
  /** Takes the writes of a page, in the order of these parameters. `page`: greater than that of the pages before. */
  add(
    page: number,
    shifts: readonly Shift[],
    removals: readonly Removal[],
    puts: readonly Put[],
  ): void
  /** Marks the days that have positions of an object as changed. */
  changeDaysOf(object: number): void
  /** Brings what has arrived into the table, and marks the day as changed if that changed something. */
  fold(day: number): void
  /** The folded positions of a day, by object and time. */
  ofDay(day: number): Iterable<Stored>
  /** The folded positions of an object between two times, both included, by time. */
  ofObject(object: number, from: number, to: number): Stored[]
  dropDay(day: number): void
  dropAll(): void
}

const COLUMNS = [
  ...['day', 'object', 'time', 'time_server', 'latitude', 'longitude', 'altitude', 'angle'],
  ...['speed', 'odometer_mm', 'mileage_mm', 'engine_hours_ms', 'address', 'attributes'],
  'as_of',
]
const SHOWN = `
  object AS id, time, time_server AS timeServer, latitude, longitude, altitude, angle, speed,
  odometer_mm AS odometerMm, mileage_mm AS mileageMm, engine_hours_ms AS engineHoursMs, address, attributes,
  as_of AS asOf`
const ARRIVED = ['arrived_puts', 'arrived_removals', 'arrived_shifts']

const REMOVE = 'DELETE FROM positions WHERE day = ? AND object = ? AND time BETWEEN ? AND ?'
/** The last one of a time stays. A removal concerns the pages before its own. */
const PUT = `
  INSERT OR REPLACE INTO positions
  SELECT ${COLUMNS.join(', ')} FROM arrived_puts p
  WHERE day = ? AND NOT EXISTS (
    SELECT 1 FROM arrived_removals r
    WHERE r.day = p.day AND r.object = p.object AND r.page > p.page AND p.time BETWEEN r.from_time AND r.to_time
  )
  ORDER BY object, time, page`
/**
 * A position moves by the shifts that it does not contain, and notes the newest of them. One statement for each shift took
 * a third of the time of one for all.
 */
const SHIFT = `
  UPDATE positions SET
    odometer_mm = odometer_mm + ?, mileage_mm = mileage_mm + ?, engine_hours_ms = engine_hours_ms + ?, as_of = ?
  WHERE day = ? AND object = ? AND time BETWEEN ? AND ? AND as_of < ?`

export function openPositions(database: DatabaseSync): Positions {
  const removals = database.prepare(
    'SELECT day, object, from_time, to_time FROM arrived_removals WHERE day = ?',
  )
  const shifts = database.prepare(`
    SELECT odometer_mm, mileage_mm, engine_hours_ms, seq, day, object, from_time, to_time, seq AS newer_than
    FROM arrived_shifts WHERE day = ? ORDER BY object, seq
  `)
  const remove = database.prepare(REMOVE)
  const put = database.prepare(PUT)
  const shift = database.prepare(SHIFT)
  const folded = database.prepare(
    'UPDATE days SET has_arrived = 0, is_changed = is_changed OR ? WHERE day = ?',
  )
  const rename = database.prepare(`
    UPDATE days SET is_changed = 1
    WHERE EXISTS (SELECT 1 FROM positions p WHERE p.day = days.day AND p.object = ?)
  `)
  const ofDay = database.prepare(
    `SELECT ${SHOWN} FROM positions WHERE day = ? ORDER BY object, time`,
  )
  const ofObject = database.prepare(`
    SELECT ${SHOWN} FROM days CROSS JOIN positions USING (day)
    WHERE day BETWEEN ? AND ? AND object = ? AND time BETWEEN ? AND ? ORDER BY day, time
  `)
  const dropFrom = (tables: readonly string[]) =>
    tables.map((table) => database.prepare(`DELETE FROM ${table} WHERE day = ?`))
  const [dropArrived, dropDay] = [dropFrom(ARRIVED), dropFrom([...ARRIVED, 'positions'])]

  return {
    add: arrivals(database),
    changeDaysOf: (object) => void rename.run(object),
    fold(day) {
      let changes = 0
      const run = (statement: StatementSync, values: SQLInputValue[]) => {
        changes += Number(statement.run(...values).changes)
      }
      for (const row of removals.all(day)) run(remove, Object.values(row))
      run(put, [day])
      for (const row of shifts.all(day)) run(shift, Object.values(row))
      for (const statement of dropArrived) statement.run(day)
      folded.run(Number(changes > 0), day)
    },
    ofDay: (day) => ofDay.iterate(day) as Iterable<unknown> as Iterable<Stored>,
    ofObject: (object, from, to) =>
      ofObject.all(dayOf(from), dayOf(to), object, from, to) as unknown[] as Stored[],
    dropDay(day) {
      for (const statement of dropDay) statement.run(day)
    },
    dropAll() {
      for (const table of [...ARRIVED, 'positions']) database.exec(`DELETE FROM ${table}`)
      database.exec('UPDATE days SET has_arrived = 0, is_changed = 1')
    },
  }
}

/** Takes writes that have arrived, and marks their days. */
function arrivals(database: DatabaseSync): Positions['add'] {
  const onDays = 'FROM days WHERE day BETWEEN ? AND ?'
  const addShift = database.prepare(
    `INSERT INTO arrived_shifts SELECT day, ?, ?, ?, ?, ?, ?, ? ${onDays}`,
  )
  const addRemoval = database.prepare(
    `INSERT OR IGNORE INTO arrived_removals SELECT day, ?, ?, ?, ? ${onDays}`,
  )
  const haveArrived = database.prepare('UPDATE days SET has_arrived = 1 WHERE day BETWEEN ? AND ?')
  const addDay = database.prepare(
    'INSERT INTO days VALUES (?, 1, 0) ON CONFLICT (day) DO UPDATE SET has_arrived = 1',
  )
  const addPut = database.prepare(
    `INSERT INTO arrived_puts (page, ${COLUMNS.join(', ')}) VALUES (?${', ?'.repeat(COLUMNS.length)})`,
  )

  return (page, shifts, removals, puts) => {
    for (const { id, from, to, seq, ...amounts } of shifts) {
      const range = rangeOf(from, to)
      addShift.run(
        ...[checkedId(id), ...range.times, seq, checkedNumber(amounts.odometer_mm)],
        ...[checkedNumber(amounts.mileage_mm), checkedNumber(amounts.engine_hours_ms)],
        ...range.days,
      )
      haveArrived.run(...range.days)
    }
    for (const { id, from, to } of removals) {
      // Positions that have expired are dropped with their day.
      if (id === null) continue
      const range = rangeOf(from, to)
      addRemoval.run(checkedId(id), page, ...range.times, ...range.days)
      haveArrived.run(...range.days)
    }
    const days = new Set<number>()
    for (const put of puts) {
      const { day, values } = valuesOf(put)
      addPut.run(page, day, ...values)
      days.add(day)
    }
    for (const day of days) addDay.run(day)
  }
}

function rangeOf(from: string | null, to: string | null) {
  const first = from === null ? 0 : checkedTime(from)
  const last = to === null ? LAST_TIME : checkedTime(to)
  return { times: [first, last], days: [dayOf(first), dayOf(last)] } as const
}

/** The values of `COLUMNS`. The first one is the day. */
function valuesOf({ id, time: written, position, asOf }: Put) {
  const { odometer_mm = null, mileage_mm = null, engine_hours_ms = null } = position.exact ?? {}
  const time = checkedTime(written)
  const day = dayOf(time)
  const values = [
    ...[checkedId(id), time, checkedTime(position.time_server)],
    ...[checkedNumber(position.latitude), checkedNumber(position.longitude)],
    ...[checkedNumber(position.altitude), checkedNumber(position.angle)],
    ...[checkedNumber(position.speed), checkedNumber(odometer_mm), checkedNumber(mileage_mm)],
    checkedNumber(engine_hours_ms),
    position.address === null ? null : String(position.address),
    position.attributes === undefined ? null : JSON.stringify(position.attributes),
    asOf,
  ]
  return { day, values }
}
