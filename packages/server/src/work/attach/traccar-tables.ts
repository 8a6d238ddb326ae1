import { NoTraccar, type TraccarSource } from './traccar-source.ts'

/*
 * The tables of Traccar that are read. Names and meanings are those of its changelogs 4.0 to 6.13
 * (https://github.com/traccar/traccar/tree/master/schema).
 */

/** `administrator`: 1, 0 or null. */
export type TraccarUser = {
  id: number
  name: string
  email: string
  administrator: number | null
}
export type TraccarGroup = { id: number; name: string; parent: number | null }
export type TraccarDevice = {
  id: number
  name: string
  uniqueId: string
  group: number | null
  attributes: Attributes
}
/** `area`: well-known text, with the latitude before the longitude. */
export type TraccarGeofence = {
  id: number
  name: string
  description: string | null
  area: string
  attributes: Attributes
}
export type Attributes = Readonly<Record<string, unknown>>

/** Pairs of ids, such as of users and their devices. */
type Links = readonly (readonly [of: number, to: number])[]

/** All of a Traccar but its positions. */
export type TraccarCatalogue = {
  users: readonly TraccarUser[]
  groups: readonly TraccarGroup[]
  devices: readonly TraccarDevice[]
  geofences: readonly TraccarGeofence[]
  links: Readonly<Record<LinkTable, Links>>
}

const LINK_TABLES = {
  userDevice: ['tc_user_device', 'userid', 'deviceid'],
  userGroup: ['tc_user_group', 'userid', 'groupid'],
  userGeofence: ['tc_user_geofence', 'userid', 'geofenceid'],
  groupGeofence: ['tc_group_geofence', 'groupid', 'geofenceid'],
  deviceGeofence: ['tc_device_geofence', 'deviceid', 'geofenceid'],
} as const
type LinkTable = keyof typeof LINK_TABLES

/** The tables that a user of the database has to be able to read. */
export const READ_TABLES: readonly string[] = [
  ...['databasechangelog', 'tc_users', 'tc_groups', 'tc_devices', 'tc_geofences', 'tc_positions'],
  ...Object.values(LINK_TABLES).map(([table]) => table),
]

/**
 * The version of the newest changelog that made the tables, such as `6.11.0`. Throws `NoTraccar` if these are not the tables of
 * Traccar 4.0 or newer.
 */
export async function schemaVersion(source: TraccarSource): Promise<string> {
  const found = await source.rows<{ name: string }>(
    `SELECT table_name AS name FROM information_schema.tables
      WHERE table_schema = ${source.dialect.schema} AND LOWER(table_name) IN (?, ?, ?)`,
    ['databasechangelog', 'tc_positions', 'positions'],
  )
  const tables = new Map(found.map(({ name }) => [name.toLowerCase(), name]))
  const log = tables.get('databasechangelog')
  if (log !== undefined && tables.has('tc_positions')) {
    const made = await source.rows<{ id: string }>(`SELECT id FROM ${log}`)
    const versions = made.flatMap(({ id }) => /^changelog-(\d+(?:\.\d+)+)/.exec(id)?.[1] ?? [])
    const newest = versions.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1)
    if (newest !== undefined) return newest
  }
  const advice = tables.has('positions')
    ? 'its tables are from Traccar 3; update Traccar to 4.0 or newer'
    : `its user sees no tables databasechangelog and tc_positions; is it the database of Traccar, and may the user read ${READ_TABLES.join(', ')}?`
  throw new NoTraccar(`this is not a Traccar database that can be attached: ${advice}`)
}

export async function readCatalogue(source: TraccarSource): Promise<TraccarCatalogue> {
  const { rows, dialect } = source
  const administrator = dialect.flag('administrator')
  const users = await rows<TraccarUser>(
    `SELECT id, name, email, ${administrator} AS administrator FROM tc_users ORDER BY id`,
  )
  const groups = await rows<TraccarGroup>(
    'SELECT id, name, groupid AS parent FROM tc_groups ORDER BY id',
  )
  const devices = await rows<WithText<TraccarDevice>>(
    'SELECT id, name, uniqueid AS "uniqueId", groupid AS "group", attributes FROM tc_devices ORDER BY id',
  )
  const geofences = await rows<WithText<TraccarGeofence>>(
    'SELECT id, name, description, area, attributes FROM tc_geofences ORDER BY id',
  )
  const links: Partial<Record<LinkTable, Links>> = {}
  for (const [key, [table, of, to]] of Object.entries(LINK_TABLES)) {
    const found = await rows<{ a: number; b: number }>(
      `SELECT ${of} AS a, ${to} AS b FROM ${table} ORDER BY ${of}, ${to}`,
    )
    links[key as LinkTable] = found.map(({ a, b }) => [a, b])
  }
  return {
    users,
    groups,
    devices: devices.map(withAttributes),
    geofences: geofences.map(withAttributes),
    links: links as Record<LinkTable, Links>,
  }
}

type WithText<Row> = Omit<Row, 'attributes'> & { attributes: string | null }

function withAttributes<Row extends { attributes: string | null }>(row: Row) {
  return { ...row, attributes: attributesIn(row.attributes) ?? {} }
}

/** Attributes of a row. Undefined if the text is not a JSON object. */
export function attributesIn(
  text: string | null,
  parse: (text: string) => unknown = JSON.parse,
): Attributes | undefined {
  if (text === null || text === '') return {}
  try {
    const value = parse(text)
    return typeof value === 'object' && value !== null ? (value as Attributes) : undefined
  } catch {
    return undefined
  }
}

/** The positions of a day of a device: how many, and the time of the last one. Both on the clock of the database. */
export type SourceDay = { day: string; count: number; last: string }

/** The days of a device with positions, ascending. `since`: the first day that is asked for; empty: all. */
export function readDays(
  { rows, dialect }: TraccarSource,
  device: number,
  since: string,
): Promise<SourceDay[]> {
  const day = dialect.day('fixtime')
  return rows<SourceDay>(
    `SELECT ${day} AS day, COUNT(*) AS count, ${dialect.moment('MAX(fixtime)')} AS last
      FROM tc_positions WHERE deviceid = ?${since === '' ? '' : ' AND fixtime >= ?'}
      GROUP BY 1 ORDER BY 1`,
    since === '' ? [device] : [device, since],
  )
}

/** The number of positions of a device from a moment to another one, both included. */
export async function countBetween(
  { rows }: TraccarSource,
  device: number,
  from: string,
  to: string,
): Promise<number> {
  const [found] = await rows<{ count: unknown }>(
    'SELECT COUNT(*) AS count FROM tc_positions WHERE deviceid = ? AND fixtime >= ? AND fixtime <= ?',
    [device, from, to],
  )
  return Number(found!.count)
}

/** A row of `tc_positions`. Moments are on the clock of the database. */
export type PositionRow = {
  id: number
  fixtime: string
  servertime: string
  valid: number | string
  latitude: number
  longitude: number
  altitude: number | null
  speed: number
  course: number | null
  accuracy: number | null
  address: string | null
  attributes: string | null
}

/**
 * The place in the order of a device's positions after which a page begins. Ids order positions of one moment alone. Null: after all
 * positions of the moment.
 */
export type PagePlace = { fixtime: string; id: number | null }

/** A page of a device's positions up to a moment, ascending, from `place` on. */
export function readPage(
  { rows, dialect }: TraccarSource,
  device: number,
  { fixtime, id }: PagePlace,
  before: string,
  limit: number,
): Promise<PositionRow[]> {
  const moments = ['fixtime', 'servertime'].map((name) => `${dialect.moment(name)} AS ${name}`)
  const isAfter = id === null ? 'fixtime > ?' : '(fixtime > ? OR id > ?)'
  // In this order `fixtime` alone would be the text.
  return rows<PositionRow>(
    `SELECT id, ${moments.join(', ')}, ${dialect.flag('valid')} AS valid, latitude, longitude,
        altitude, speed, course, accuracy, address, attributes
      FROM tc_positions
      WHERE deviceid = ? AND fixtime >= ? AND fixtime < ? AND ${isAfter}
      ORDER BY tc_positions.fixtime, id LIMIT ${limit}`,
    [device, fixtime, before, fixtime, ...(id === null ? [] : [id])],
  )
}

/** The attributes of the first or the last position of a device between two moments. Null: it has no positions. */
export async function attributesAtEnd(
  { rows }: TraccarSource,
  device: number,
  [from, before]: readonly [from: string, before: string],
  end: 'ASC' | 'DESC',
): Promise<Attributes | null> {
  const [row] = await rows<{ attributes: string | null }>(
    `SELECT attributes FROM tc_positions WHERE deviceid = ? AND fixtime >= ? AND fixtime < ?
      ORDER BY fixtime ${end}, id ${end} LIMIT 1`,
    [device, from, before],
  )
  return row === undefined ? null : (attributesIn(row.attributes) ?? {})
}
