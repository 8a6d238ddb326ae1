/** A script of this folder: `bench/<name>.ts`, which ends with a call of `report`; or one that was here. */
export type Script = {
  name: string
  /** Its heading in docs/benchmarks-in-full.md. */
  title: string
  /** The compared servers and the method, for docs/benchmarks-in-full.md, in Markdown. */
  about: string
  charts?: Chart[]
  /** The comparison is settled: its record stays, and its program and what it was compared with are gone. */
  isSettled?: true
}

/** Figures of one unit as bars, by their names in the report; missing ones are omitted. */
export type Chart = {
  /** The chart is `docs/benchmarks/<file>.svg`. */
  file: string
  title: string
  bars: Bar[]
}

export type Bar = { figure: string; label: string; of: 'fleetgate' | 'raw' | 'peer' }

/** In the order of the run and of docs/benchmarks-in-full.md. */
export const SCRIPTS: readonly Script[] = [
  {
    name: 'detail',
    title: 'One object',
    about:
      '`GET /objects/{id}` of 30,000 organizations, embedded, on one processor, compared with a bare `node:http` server that sends the same bytes and headers from memory.',
    charts: [
      {
        file: 'detail',
        title: 'GET /objects/{id}, requests a second on one processor',
        bars: [
          { figure: 'Fleetgate', label: 'Fleetgate', of: 'fleetgate' },
          { figure: 'raw', label: 'node:http', of: 'raw' },
        ],
      },
    ],
  },
  {
    name: 'latest',
    title: 'Latest positions',
    about:
      '`GET /positions/latest` of organizations that ask for all their objects, embedded, on one processor. No organization has a daily quota, as where nothing is set.',
    charts: [
      besideRaw('latest', 'GET /positions/latest, requests a second on one processor', [
        '1 ids',
        '100 ids',
        '1,000 ids',
      ]),
    ],
  },
  {
    name: 'lists',
    title: 'Lists',
    about:
      '`GET /objects`, embedded, on one processor. Fleetgate keeps lists of 100 objects once they were made. Lists of 10,000 come from more organizations than it keeps lists of, and are made again each time. Unchanged compares a 304 with a 304.',
    charts: [
      besideRaw('lists-100', 'GET /objects of 100 objects, requests a second on one processor', [
        '100 objects',
        '100 objects, gzip',
        '100 objects, unchanged',
      ]),
      besideRaw(
        'lists-10000',
        'GET /objects of 10,000 objects, unchanged (304), requests a second',
        ['10,000 objects, unchanged'],
      ),
    ],
  },
  {
    name: 'histories',
    title: 'Histories, short and long',
    about:
      'Embedded, on one processor, rows a second: one answer after the other, four at once, plain and in gzip.',
    charts: [
      {
        file: 'histories',
        title: 'Rows of a history a second on one processor',
        bars: ['100', '1,000', '10,000', '100,000'].flatMap((rows) => [
          { figure: `${rows} rows`, label: `${rows} rows`, of: 'fleetgate' as const },
          { figure: `${rows} rows, gzip`, label: `${rows} rows, gzip`, of: 'fleetgate' as const },
        ]),
      },
    ],
  },
  {
    name: 'formats',
    title: 'Formats',
    about:
      'Histories of 10,000 rows in each format, embedded, on one processor, four at once, compared with the same in JSON.',
    charts: [
      {
        file: 'formats',
        title: 'Rows of a history a second on one processor, by format',
        bars: ['json', 'ndjson', 'csv', 'geojson', 'gpx', 'kml'].map((format) => ({
          figure: format,
          label: format,
          of: 'fleetgate' as const,
        })),
      },
    ],
  },
  {
    name: 'addresses',
    title: 'Histories with addresses found at reading',
    about:
      'Histories of which nine rows in ten brought no address, of a server that finds it, compared with the same build with `--geocoder off`: bursts of either in turn, by processor time, for a row and for a byte.',
  },
  {
    name: 'history',
    title: 'Histories compared with row objects',
    about:
      'A history of 10,000 rows, embedded, compared with two servers that make an object of each row and give them to `JSON.stringify`: one that unpacks Fleetgate’s own records, one that reads a table with a column for each field. Neither checks a key, limits or logs.',
    charts: [
      {
        file: 'history',
        title: 'Rows of a history a second on one processor',
        bars: [
          { figure: 'Fleetgate', label: 'Fleetgate', of: 'fleetgate' },
          { figure: 'row objects of records', label: 'objects of records', of: 'peer' },
          { figure: 'row objects of columns', label: 'objects of columns', of: 'peer' },
        ],
      },
    ],
  },
  {
    name: 'platformatic',
    isSettled: true,
    title: 'Histories compared with Platformatic DB',
    about:
      'A history of 10,000 rows, compared with Platformatic DB over the same rows in typed columns: Fleetgate on the same PostgreSQL with Redis, all of them sharing two processors; and Fleetgate on a data folder, on one.',
    charts: [
      {
        file: 'platformatic',
        title: 'Rows of a history a second',
        bars: [
          {
            figure: 'Fleetgate embedded, one processor',
            label: 'Fleetgate, folder, one core',
            of: 'fleetgate',
          },
          { figure: 'Fleetgate', label: 'Fleetgate, PostgreSQL, two', of: 'fleetgate' },
          { figure: 'Platformatic DB', label: 'Platformatic DB, two', of: 'peer' },
        ],
      },
    ],
  },
  {
    name: 'nestjs',
    isSettled: true,
    title: 'Compared with NestJS',
    about:
      'A build that a user would make instead: NestJS 12 with Fastify, TypeORM and `@nestjs/throttler` on PostgreSQL, with typed columns and the right keys, API keys looked up in a cache, no entity made of a row of a list or history. It and Fleetgate on PostgreSQL and Redis share two processors with their databases and the client; Fleetgate on a data folder has one. The answers are compared field by field first.',
    charts: [
      {
        file: 'nestjs',
        title: 'How many times the pace of NestJS, on a data folder, on one processor',
        bars: [
          'detail',
          'latest of 1',
          'latest of 100',
          'latest of 1,000',
          'list of 100',
          'list of 100, unchanged',
          'list of 10,000',
          'list of 10,000, unchanged',
          'history of 100',
          'history of 1,000',
          'history of 10,000',
        ].map((label) => ({ figure: `${label}, of NestJS`, label, of: 'fleetgate' as const })),
      },
      ...[
        ...['detail', 'latest of 100', 'list of 100', 'list of 10,000, unchanged'],
        ...['history of 100', 'history of 1,000', 'history of 10,000'],
      ].map((kind) => ({
        file: `nestjs-${kind.replaceAll(/[ ,]+/g, '-')}`,
        title: `${kind}, requests a second`,
        bars: [
          { figure: kind, label: 'Fleetgate, folder, one core', of: 'fleetgate' as const },
          {
            figure: `${kind}, PostgreSQL and Redis`,
            label: 'Fleetgate, PostgreSQL, two',
            of: 'fleetgate' as const,
          },
          { figure: `${kind}, NestJS`, label: 'NestJS, PostgreSQL, two', of: 'peer' as const },
        ],
      })),
    ],
  },
  {
    name: 'month-stream',
    title: 'Month-long exports',
    about:
      '2,600,000 rows in one request, a month at 1 Hz, once and four times at once. Others ask for an object’s detail at the same time, 200 a second on schedule. A latency counts from when its request was due.',
    charts: [
      {
        file: 'month-stream',
        title: 'Detail, 99th percentile, milliseconds',
        bars: [
          { figure: 'detail, quiet, p99', label: 'quiet', of: 'raw' },
          { figure: 'detail during a stream, p99', label: 'one export', of: 'fleetgate' },
          { figure: 'detail during 4 streams, p99', label: 'four exports', of: 'fleetgate' },
          {
            figure: 'detail during a stream in gzip, p99',
            label: 'one in gzip',
            of: 'fleetgate',
          },
        ],
      },
    ],
  },
  {
    name: 'shared',
    title: 'On PostgreSQL and Redis',
    about:
      'One object, the last positions of 100 and a history of 10,000 rows of one process, and of two that share the port, with PostgreSQL, Redis and the client on the same two processors.',
    charts: [
      {
        file: 'shared',
        title: 'On PostgreSQL and Redis, requests a second',
        bars: ['detail', 'latest of 100 ids'].flatMap((what) =>
          [1, 2].map((processes) => ({
            figure: `${what}, ${processes} ${processes === 1 ? 'process' : 'processes'}`,
            label: `${what}, ${processes} ${processes === 1 ? 'process' : 'processes'}`,
            of: 'fleetgate' as const,
          })),
        ),
      },
    ],
  },
  {
    name: 'feed',
    title: 'The feed',
    about:
      'Batches of 500 positions, durable before they are acknowledged, compared with a bare loop of SQLite inserts of the same rows; single OsmAnd packets, compared with a bare `node:http` server; and the latency of the API at the same time.',
    charts: [
      {
        file: 'feed',
        title: 'Positions taken in a second, batches of 500, on one processor',
        bars: [
          { figure: 'batches', label: 'Fleetgate', of: 'fleetgate' },
          { figure: 'bare loop', label: 'bare inserts', of: 'raw' },
        ],
      },
      {
        file: 'feed-singles',
        title: 'Single packets a second, on one processor',
        bars: [
          { figure: 'single OsmAnd packets', label: 'Fleetgate', of: 'fleetgate' },
          { figure: 'raw node:http', label: 'node:http', of: 'raw' },
        ],
      },
    ],
  },
  {
    name: 'changes',
    title: 'Everything that changed',
    about:
      '`GET /changes` of 50,000 objects that report every ten minutes, on a data folder and one processor: the first day from the start, then a second day of which one row in a hundred comes late. One request after the other, ten in ten seconds. For comparison: pages of 10,000 positions and a history of one object.',
  },
  {
    name: 'pull',
    title: 'Nightly sync',
    about:
      '`fleetgate pull` of the same fleet into Parquet and into PostgreSQL: a first night from the start, then a second night of which one row in a hundred comes late. DuckDB and PostgreSQL count and sum what came. The sums must equal those of the sent positions and the latest positions that the server answers.',
  },
  {
    name: 'dashboard',
    title: 'A live dashboard',
    about:
      'A replica of the client, as its README has it, follows 5,000 vehicles that report every ten seconds, for an hour, under a daily quota of 500. Sending to dashboard: from before a batch is sent until the replica has its states.',
  },
  {
    name: 'derive',
    title: 'Trips, stops and visits',
    about:
      'Two fleets of 20,000 objects and 1,000 sites each, on a data folder, get 5,000 positions a second in turn. One organization asked for its records.',
  },
  {
    name: 'place-edit',
    title: 'Edits of places',
    about:
      'A new geofence on a data folder with 10,000,000 positions of 2,000 objects, until the visits to it are derived, while details of 400 other organizations are asked for 200 times a second. The memory is that of a server that has derived a fix of a fleet of 1,000,000 objects.',
  },
  {
    name: 'record-queries',
    title: 'Questions about trips and visits',
    about:
      'A day of trips of 1,000 objects, and a month of visits to one of 100 places, among 1,080,000 records: those of 103,680,000 positions. The time is that of the store, with everything in its cache; the pages are those that it reads when it has read nothing before, those of its catalogue included.',
  },
  {
    name: 'whole-fleet',
    title: 'Whole fleets',
    about:
      '`GET /positions/latest?ids=all` of fleets of 1,000 to 100,000 objects, `bbox` with 100 of 1,000,000 objects, and `GET /positions/at` of 1,000 objects among 10,000,000 positions. `first` is the first request of its kind to a server that has just started. The memory is that of the server afterwards.',
  },
  {
    name: 'streams',
    title: 'Streams',
    about:
      '1,000 streams of 100 organizations on a data folder, with 2,000 packets a second and 200 details a second. Each packet goes to ten streams. The memory of an idle stream is compared with that of an idle connection of a bare `node:http` server.',
  },
  {
    name: 'streams-shared',
    title: 'Streams on PostgreSQL and Redis',
    about:
      'The same on PostgreSQL and Redis, whose processes and the client share both processors with the server.',
  },
  {
    name: 'late-fix',
    title: 'Late fixes',
    about: 'A fix that comes a month late, among 2,600,000 of its object.',
  },
  {
    name: 'import-rate',
    title: 'Imports',
    about:
      '`fleetgate import positions`, the whole command, compared with a bare loop that inserts the same records into the same table.',
    charts: [
      {
        file: 'import-rate',
        title: 'Rows imported a second',
        bars: [
          { figure: 'the whole command', label: 'Fleetgate', of: 'fleetgate' },
          { figure: 'bare loop', label: 'bare inserts', of: 'raw' },
        ],
      },
    ],
  },
  {
    name: 'copy',
    title: 'Moving',
    about:
      '10,000,000 positions from a folder to PostgreSQL and back by `fleetgate copy`, each way killed twice, and compared.',
  },
  {
    name: 'restart',
    title: 'Start-up',
    about:
      'From the command to the first answer, with 100,000 objects and 10,000,000 positions, compared with an empty store.',
    charts: [
      {
        file: 'restart',
        title: 'Start to first answer, milliseconds',
        bars: [
          { figure: 'full', label: '10,000,000 positions', of: 'fleetgate' },
          { figure: 'empty', label: 'empty store', of: 'fleetgate' },
        ],
      },
    ],
  },
  {
    name: 'growth-rows',
    title: 'Ever more positions',
    about:
      'Histories and an object’s detail among 1,000,000, 10,000,000 and 100,000,000 positions in one data folder, loaded as a live fleet writes them: each second a row of each object, so that an object’s rows are between those of all others. Asked one after the other, each size in turn; cold: the server just started, and nothing of its database in the system’s cache.',
    charts: ['100', '1,000', '10,000'].map((rows) => ({
      file: `growth-rows-${rows.replaceAll(',', '')}`,
      title: `A history of ${rows} rows, milliseconds`,
      bars: ['1,000,000', '10,000,000', '100,000,000'].map((positions) => ({
        figure: `history of ${rows} rows, among ${positions}`,
        label: `among ${positions}`,
        of: 'fleetgate' as const,
      })),
    })),
  },
  {
    name: 'growth-peers',
    isSettled: true,
    title: 'Ever more positions, compared with peers',
    about:
      'Histories among 1,000,000 and 10,000,000 positions on PostgreSQL: of Fleetgate, of the NestJS build and of Platformatic DB, each over its own tables in the same database, asked one after the other, in turns.',
    charts: ['100', '1,000', '10,000'].map((rows) => ({
      file: `growth-peers-${rows.replaceAll(',', '')}`,
      title: `A history of ${rows} rows among 10,000,000, milliseconds`,
      bars: ['Fleetgate', 'NestJS', 'Platformatic DB'].map((contender) => ({
        figure: `history of ${rows} rows, among 10,000,000, ${contender}`,
        label: contender,
        of: contender === 'Fleetgate' ? ('fleetgate' as const) : ('peer' as const),
      })),
    })),
  },
  {
    name: 'link-flood',
    title: 'A flood on a link',
    about:
      'The latency of `GET /objects/{id}`, 200 requests a second, alone and while one link is read 400 times a second, of which its window admits six. Embedded; both in turns on one server.',
  },
  {
    name: 'growth-organizations',
    title: 'Ever more organizations',
    about:
      '10, 1,000 and 100,000 organizations of one vehicle each, embedded: a start, memory at rest, and detail. All sizes are asked as often, in short bursts, as ten organizations may be: so few requests never warm a server up, and the figures only compare sizes.',
  },
  {
    name: 'growth-objects',
    title: 'Ever more objects',
    about:
      '1,000 to 1,000,000 objects of organizations with 100 each, embedded: a start, memory at rest, detail and lists, asked as above.',
  },
  {
    name: 'usage-counters',
    title: 'Usage counters',
    about:
      'The cost of counting requests by key: `GET /objects/{id}` of 30,000 keys in turn, the worst case, embedded. Counting and storing by the processor time that they take, compared with that of the requests themselves.',
  },
  {
    name: 'memory',
    title: 'Memory',
    about:
      'The memory of a server on a data folder: at rest, for each organization with a key in use, for each idle connection.',
  },
  {
    name: 'scaling',
    title: 'What a deployment takes',
    about:
      'The cost of one position and one request in each part on PostgreSQL and Redis, which [scaling.md](scaling.md) uses.',
  },
]

function besideRaw(file: string, title: string, figures: string[]): Chart {
  const bars = figures.flatMap((figure): Bar[] => [
    { figure, label: figure, of: 'fleetgate' },
    { figure: `${figure}, raw`, label: `${figure}, node:http`, of: 'raw' },
  ])
  return { file, title, bars }
}
