/** Facts about the table of a program that its headings do not say. Headings are in small letters. */
export type Program = {
  /** Headings that only this program writes together. */
  headings: readonly string[]
  /** By field: the unit of its numbers. */
  units: Readonly<Record<string, string>>
  /** By field: the heading that fills it, if several may. */
  columns?: Readonly<Record<string, string>>
  /** Headings that look like those of fields, and fill no field. */
  unused?: readonly string[]
  /** Why the table has no ident, if one of its columns looks like it: a clause. */
  identless?: string
}

const PROGRAMS: readonly Program[] = [
  // GPSLogger for Android.
  {
    headings: ['elevation', 'bearing', 'speed', 'provider', 'geoidheight'],
    units: { speed: 'mps' },
  },
  // The positions of a Traccar server, by its API or from its database. Its totalDistance is computed.
  {
    headings: ['deviceid', 'fixtime', 'valid', 'latitude', 'longitude', 'speed'],
    units: { speed: 'knots', odometer: 'm', engine_hours: 'ms' },
    columns: { time_device: 'fixtime', engine_hours: 'hours' },
    unused: ['deviceid', 'devicetime', 'totaldistance', 'distance'],
    identless: 'its deviceId is a number of Traccar, and not the ident of the device',
  },
  // Movebank. Its times are in UTC.
  {
    headings: ['individual-local-identifier', 'location-lat', 'location-long', 'timestamp'],
    units: { speed: 'mps', time_device: 'UTC' },
    columns: {
      ...{ ident: 'individual-local-identifier', time_device: 'timestamp' },
      ...{ latitude: 'location-lat', longitude: 'location-long' },
      ...{ speed: 'ground-speed', altitude: 'height-above-msl' },
    },
  },
]

/** The program that wrote a table with these headings. */
export function programOf(headings: readonly string[]): Program | undefined {
  const names = new Set(headings.map((each) => each.trim().toLowerCase()))
  return PROGRAMS.find((each) => each.headings.every((name) => names.has(name)))
}
