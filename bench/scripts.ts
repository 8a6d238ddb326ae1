/** A script of this folder: `bench/<name>.ts`, which ends with a call of `report`; or one that was here. */
export type Script = {
  name: string
  title: string
  /** The compared servers and the method. */
  about: string
  /** The comparison is settled: its record stays, and its program and what it was compared with are gone. */
  isSettled?: true
  /** The command that measures it, if `npm run bench` leaves it out because of what it needs or prints. */
  byHand?: string
}

/** In the order of the run. */
export const SCRIPTS: readonly Script[] = [
  {
    name: 'detail',
    title: 'One object',
    about:
      '`GET /objects/{id}` of 30,000 organizations, embedded, on one processor, compared with a bare `node:http` server that sends the same bytes and headers from memory.',
  },
  {
    name: 'latest',
    title: 'Latest positions',
    about:
      '`GET /positions/latest` of organizations that ask for all their objects, embedded, on one processor. No organization has a daily quota, as where nothing is set.',
  },
  {
    name: 'lists',
    title: 'Lists',
    about:
      '`GET /objects`, embedded, on one processor. Fleetgate keeps lists of 100 objects once they were made. Lists of 10,000 come from more organizations than it keeps lists of, and are made again each time. Unchanged compares a 304 with a 304.',
  },
  {
    name: 'histories',
    title: 'Histories, short and long',
    about:
      'Embedded, on one processor, rows a second: one answer after the other, four at once, plain and in gzip.',
  },
  {
    name: 'formats',
    title: 'Formats',
    about:
      'Histories of 10,000 rows in each format, embedded, on one processor, four at once, compared with the same in JSON.',
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
  },
  {
    name: 'platformatic',
    isSettled: true,
    title: 'Histories compared with Platformatic DB',
    about:
      'A history of 10,000 rows, compared with Platformatic DB over the same rows in typed columns: Fleetgate on the same PostgreSQL with Redis, all of them sharing two processors; and Fleetgate on a data folder, on one. Platformatic DB had a `limit` of 10,000, ten connections, request logs to a file and no GraphQL.',
  },
  {
    name: 'nestjs',
    isSettled: true,
    title: 'Compared with NestJS',
    about:
      'A build that a user would make instead: NestJS 12 with Fastify, TypeORM and `@nestjs/throttler` on PostgreSQL, with typed columns and the right keys, API keys looked up in a cache, no entity made of a row of a list or history. It and Fleetgate on PostgreSQL and Redis share two processors with their databases and the client; Fleetgate on a data folder has one. The answers are compared field by field first.',
  },
  {
    name: 'month-stream',
    title: 'Month-long exports',
    about:
      '2,600,000 rows in one request, a month at 1 Hz, once and four times at once. Others ask for an object’s detail at the same time, 200 a second on schedule. A latency counts from when its request was due.',
  },
  {
    name: 'shared',
    title: 'On PostgreSQL and Redis',
    about:
      'One object, the last positions of 100 and a history of 10,000 rows of one process, and of two that share the port, with PostgreSQL, Redis and the client on the same two processors.',
  },
  {
    name: 'feed',
    title: 'The feed',
    about:
      'Batches of 500 positions, durable before they are acknowledged, compared with a bare loop of SQLite inserts of the same rows; single OsmAnd packets, compared with a bare `node:http` server; and the latency of the API at the same time.',
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
    name: 'day-sums',
    title: 'Days and coverage of a month',
    about:
      '`GET /coverage` and `GET /days` of 25 vehicles that send each minute, whole answers, embedded: the first answer for a month, repeated ones, and the first one after a fix that comes late into the middle of the month. Each late fix is of another vehicle.',
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
  },
  {
    name: 'growth-rows',
    title: 'Ever more positions',
    about:
      'Histories and an object’s detail among 1,000,000, 10,000,000 and 100,000,000 positions in one data folder, loaded as a live fleet writes them: each second a row of each object, so that an object’s rows are between those of all others. Asked one after the other, each size in turn; cold: the server just started, and nothing of its database in the system’s cache.',
  },
  {
    name: 'growth-peers',
    isSettled: true,
    title: 'Ever more positions, compared with peers',
    about:
      'Histories among 1,000,000 and 10,000,000 positions on PostgreSQL: of Fleetgate, of the NestJS build and of Platformatic DB, each over its own tables in the same database, asked one after the other, in turns.',
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
      'The cost of one position and one request in each part on PostgreSQL and Redis, which docs/scaling.md uses. Details: 3,000 organizations ask nine times each in a round, then wait until their windows are empty. A Fleetgate on a data folder does the same for comparison. Positions: 10,000 vehicles of 20 organizations report four times in batches of 500, then 2,000 of them 480 times more, four batches at once; then single OsmAnd packets over 256 connections for ten seconds. Processor time and WAL are differences over a whole phase, room is what PostgreSQL and Redis report.',
  },
  {
    name: 'blocks',
    byHand: 'node bench/blocks.ts',
    title: 'Blocks of positions',
    about:
      'Three fleets, folded and stored as a feed would, in batches of 500, and packed. Buses: 125,929 positions of 401 vehicles of a real city fleet on three days, with time, place, speed and counters. 1 Hz drive: 20,000 fixes with every field but accuracy, and an address in one of ten; noise is that of a good receiver, 0.3 m. Demo fleet: a week of 24 vehicles, every field. Packets arrive 1 to 3 seconds late, to the millisecond, which costs 1.7 bytes that no form can save. Bytes are those of a position, with heads and checksums. Blocks of 200 rows were measured in an earlier form, each without one of its parts or with one more. The Parquet file (version 2, row groups of 122,880 rows) has the same values by object and time, as BIGINT and VARCHAR; DuckDB chooses differences and dictionaries. Eight sensors are added to the recorded times and speeds of the buses, at the resolution of recorded packets. Reads are the same before and after packing, in processor time; on PostgreSQL that of server and database, with 30 objects of 10,000 positions in a week.',
  },
  {
    name: 'change-pages',
    byHand: 'node bench/change-pages.ts',
    title: 'Pages of old changes',
    about:
      'Pages of a follower that is days behind, in processor time for each position, on SQLite or on PostgreSQL with the server. Each commit names 500 other objects, so a page of 1,000 changes has each position in a block of its own. Pages of `from=history` are measured without the encoding as JSON.',
  },
  {
    name: 'large-folder',
    byHand: 'node bench/large-folder.ts',
    title: '100,000,000 packed positions',
    about:
      'A data folder with 100,000,000 packed positions of 10,000 objects. The database file is not cached before each start and each answer.',
  },
  {
    name: 'packing',
    byHand: 'node bench/packing.ts',
    title: 'Packing a backlog',
    about:
      'A server answers 200 requests for details a second while a backlog of 10,000,000 positions is packed.',
  },
  {
    name: 'distributed',
    byHand: 'node bench/distributed.ts',
    title: 'A coordinator and workers',
    about:
      'The costs of a Citus, by process: one PostgreSQL, a coordinator alone, a coordinator and two workers, in processor time of all processes. docs/scaling.md says what follows.',
  },
  {
    name: 'attach',
    byHand: 'node bench/attach.ts',
    title: 'An attached Traccar',
    about:
      'A generated Traccar in PostgreSQL or MariaDB (`--on mariadb`), attached whole and killed on the way: rate, memory, equal ends, load on the database.',
  },
  {
    name: 'routing',
    byHand: 'node bench/routing.ts',
    title: 'Routing by ident',
    about:
      'The cost of a packet with a feed token of the deployment, compared with one with tokens of organizations.',
  },
  {
    name: 'postgres-growth',
    byHand: 'node bench/postgres-growth.ts',
    title: 'Ever more positions on PostgreSQL',
    about:
      'Histories among 1,000,000 and 100,000,000 positions of 4,000 objects in 17 days, interleaved, in databases that bench/postgres-load.ts has filled. Warm: medians of 60 each, four runs. Cold: PostgreSQL restarted, and the cache of the system emptied, two runs. A median was not kept: the figure is the middle of the runs.',
  },
  {
    name: 'live-map',
    byHand: 'node bench/live-map.ts OTHER',
    title: 'The live map',
    about:
      '20,000 objects on a data folder, one or ten watchers: the map as it reads the log, and as it compared all states four times a second, in alternating rounds. Ranges are those of two runs, and the figure is their middle. The processor time that watchers added when all states were compared is not among them: it was within the noise, with so few events.',
  },
  {
    name: 'moving-objects',
    byHand: 'node packages/console/measure/moving-objects.ts',
    title: '20,000 moving objects',
    about:
      '20,000 objects on the map of the console, of which 2,000 move each second, in 10 events a second. The page is 1280 × 800, in headless Chromium. Its own trace reports each task of the main thread of the page. Software does WebGL in another process and draws 3 to 16 frames a second, so the map is drawn at a quarter of the resolution. A frame has the work of several sixtieths of a second; with a graphics card the two are the same. The table was measured before objects had names.',
  },
  {
    name: 'levels',
    byHand:
      'LEVELS_TRIAL=whole node --test packages/server/src/engine/journeys/levels/level-trial.test.ts',
    title: 'Levels of a tank',
    about:
      '20 lorries (400 l) and 20 vans (60 l) for 14 days each. Half of the drains take minutes, half of them hours. Slosh is the standard deviation of a value, 2 % with a tilt of 1 % that lasts for two minutes, heavy slosh 4 % and 1.5 %. Values come each 30 s, and each 10 minutes while parked, unless the name says otherwise. Off by: the mean error.',
  },
  {
    name: 'http2',
    isSettled: true,
    title: 'HTTP/2',
    about:
      'Servers of the last commit with HTTP/2 (d39e544) and of a later one without it, 15,000 organizations each, 32 keep-alive connections of one client, 15 rounds of a second in turn, on one processor. Others used the machine heavily, so processor time counts rather than the clock.',
  },
]
