/** A layer of the source of the server. CONTRIBUTING.md has one row for it, and one for each of its parts. */
export type Wing = {
  name: string
  holds: string
  /** Folders, or files in none of them, by their names: what they hold. */
  parts: Readonly<Record<string, string>>
}

/** The layers. The files of a layer import that layer, and those before it. A new folder needs an entry here. */
export const WINGS: readonly Wing[] = [
  {
    name: 'base',
    holds: 'what all others know',
    parts: {
      domain:
        'objects, fixes and their packed record, states, places, organizations, settings, times. Pure: imports nothing, not even Node.js',
      access: 'API keys, feed tokens, authentication, the sliding log. Pure',
      http: 'the HTTP server below the three listeners: TLS, limits and draining of connections, answers to broken requests',
      geocoding: 'the port to addresses; `offline` and `nominatim` are its adapters',
    },
  },
  {
    name: 'engine',
    holds: 'pure rules, and work over the port to lasting data',
    parts: {
      store: 'the port to lasting data, for which `sqlite` and `postgres` are the adapters',
      tracking:
        'folds fixes into positions and object states: batches and late fixes, over the tables that a store provides. `rules`: acceptance, motion, trips, counters (pure)',
      changes:
        'pages of the change log, the objects and states that they keep, and the watch that wakes its readers',
      journeys:
        'derives trips, stops, visits and changes of levels from stored positions, slice by slice after the change log, and computes days, coverage and adherence to routes when they are asked for. `rules`: what records are, and what a late position changes of them (pure)',
      'repeat.ts': 'work that is done again and again',
    },
  },
  {
    name: 'data',
    holds: 'what keeps data',
    parts: {
      tables: 'the tables, and what both stores do alike',
      positions: 'positions, their blocks and what is asked of both, for both stores',
      fold: 'takes fixes, folds them and folds again, for both stores',
      history: 'histories, counts and pages of positions, for both stores',
      views: 'views of an organization in which nothing changes, for both stores',
      copy: 'makes one store a copy of another',
      sqlite: 'lasting data in a data folder: the database file, its log, the stores over it',
      postgres:
        'lasting data in PostgreSQL: connections, migrations, partitions, the stores over them',
      live: 'the port to current, shared data: rate window, daily quota, snapshots; `memory` and `redis` are its adapters',
      cache:
        'keys, feed tokens, owners of idents, organizations and fleets in the memory of a serving process',
      usage: 'counts of answered requests by key',
    },
  },
  {
    name: 'read',
    holds: 'what any face answers with',
    parts: {
      formats: 'JSON, CSV, GeoJSON and the others, whatever they hold',
      encode: 'from objects, positions, records and places to rows',
      schemas: 'JSON Schemas of answers, and their examples',
      rows: 'the rows of an answer: what a key may see, what it charges, whole answers',
      changes: 'pages and streams of changes',
      parameters: 'the parameters of operations',
      messages: 'the texts of refusals, by language',
      exchange: 'a request and its reply: negotiation, compression, entity tags',
      'api.ts': 'the parts that answer the requests of a key',
      'call.ts': 'a call of an operation, and its answer',
      'request-limits.ts': 'rate window and daily quota of a request',
      'refusal.ts': 'every refusal',
      'request-log.ts': 'the line of a request in the log',
    },
  },
  {
    name: 'work',
    holds: 'background work, and what it needs',
    parts: {
      tasks: 'background work: deletes expired rows, folds rows again, finds addresses',
      import: 'reads CSV, NDJSON, GeoJSON, GPX, KML and the exports of phones',
      attach: 'takes the database of a Traccar server: everything at first, what is missing later',
      webhooks: 'sends changes to the endpoints of organizations',
      simulated:
        'fleets that nobody drives. `demo`: the demo fleet, replayed from its recording. `test-fleet`: what test keys see, a store of a day that follows the clock, the scenarios',
    },
  },
  {
    name: 'acts',
    holds:
      'an act of the operator, once for the admin API and the command line: body, checks, words, who may, the audit log (`audit`)',
    parts: {},
  },
  {
    name: 'faces',
    holds: 'the three listeners',
    parts: {
      api: 'the public API: its operations and their description',
      feed: 'the listener for positions, and its formats',
      admin:
        'the operator’s listener: the console’s API and files, metrics, health, readiness. It writes the fields of an object as the API does',
    },
  },
  {
    name: 'run',
    holds: 'how it all starts',
    parts: {
      'serve-settings.ts': 'the open parts and settings of a serving process',
      'outage-log.ts': 'logs outages of the store and of the limits once, and counts what fails',
      'listeners.ts': 'opens the listeners of a process’s roles, over the parts of their APIs',
      'background.ts': 'starts the work that runs alongside requests',
      'serve.ts': 'makes a serving process of the listeners and the background work',
      'compose.ts': 'the only file that chooses adapters',
      'main.ts': 'starts the command line',
      commands: 'the commands, a file each, over the parts of the command line next to it',
    },
  },
]

/** Only `compose.ts` chooses adapters. */
export const COMPOSE = 'run/compose.ts'
/** The adapters of the store, which alone import what they share. */
export const STORE_ADAPTERS: readonly string[] = ['data/sqlite', 'data/postgres']
export const SHARED_BY_STORES: readonly string[] = [
  'data/tables',
  'data/positions',
  'data/fold',
  'data/history',
  'data/views',
]
/** The ports whose adapters are their sub-folders. */
export const PORTS: readonly string[] = ['data/live', 'base/geocoding']
