/** A target of Fleetgate, per core, embedded, with default limits, counting only 200s. */
export type Target = {
  what: string
  demanded: string
  /** The script that measures it. */
  script: string
  /** The names of its figures. */
  figures: RegExp
}

export const TARGETS: readonly Target[] = [
  {
    what: 'detail, all rules applied, logging on, same headers',
    demanded: 'at least 0.60 of the raw limit',
    script: 'detail',
    figures: /^(Fleetgate, of raw|the same, for each second of processor time)$/,
  },
  {
    what: 'latest, 100 ids',
    demanded: 'at least 0.35 of the raw limit',
    script: 'latest',
    figures: /^100 ids, of raw/,
  },
  {
    what: 'history, 10,000 rows, on one core',
    demanded: 'at least 4 times Platformatic DB with both cores',
    script: 'platformatic',
    figures: /^Fleetgate embedded on one processor, of Platformatic DB$/,
  },
  {
    what: 'list of 10,000 objects, unchanged (304)',
    demanded: 'at least 0.5 of a raw 304',
    script: 'lists',
    figures: /^10,000 objects, unchanged, of raw/,
  },
  {
    what: 'any of these against the NestJS build',
    demanded: 'at least 3 times',
    script: 'nestjs',
    figures: /^(?!.*PostgreSQL).*, of NestJS/,
  },
  {
    what: 'detail’s 99th percentile while 4 month-long exports stream',
    demanded: 'at most 3 times the quiet one or 10 ms, whichever is greater',
    script: 'month-stream',
    figures: /^detail during 4 streams, p99$/,
  },
  {
    what: 'feed, batches of 500, durable',
    demanded: 'at least 0.3 of a bare loop of SQLite inserts',
    script: 'feed',
    figures: /^batches, of a bare loop of inserts$/,
  },
  {
    what: 'NDJSON, CSV and GeoJSON, rows a second',
    demanded: 'at least 0.5 of JSON',
    script: 'formats',
    figures: /^(ndjson|csv|geojson), of JSON/,
  },
  {
    what: 'GPX and KML, rows a second',
    demanded: 'at least 0.25 of JSON',
    script: 'formats',
    figures: /^(gpx|kml), of JSON/,
  },
  {
    what: 'page of 10,000 changes, rows a second',
    demanded: 'at least 0.5 of a history of one object',
    script: 'changes',
    figures: /^rows a second of a page.*by processor time$/,
  },
  {
    what: 'acknowledgement to 1,000 streams at 2,000 packets a second, p99',
    demanded: 'at most 100 ms',
    script: 'streams',
    figures: /^acknowledgement to stream, p99$/,
  },
  {
    what: 'the same on PostgreSQL and Redis',
    demanded: 'at most 500 ms',
    script: 'streams-shared',
    figures: /^acknowledgement to stream, p99$/,
  },
  {
    what: 'memory of an idle stream',
    demanded: 'at most 1.3 times that of a raw connection, plus 4 KiB',
    script: 'streams',
    figures: /^memory of an idle (stream|raw connection)$/,
  },
  {
    what: 'median at 100,000,000 rows against 1,000,000',
    demanded: 'at most 1.25',
    script: 'growth-rows',
    figures: /^(?!start).* of that among 1,000,000$/,
  },
  {
    what: 'start to first answer with 10,000,000 rows',
    demanded: 'at most 1.5 times that of an empty store',
    script: 'restart',
    figures: /^of that over an empty store$/,
  },
]
