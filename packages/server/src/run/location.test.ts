import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Command } from 'commander'
import { option } from './command.ts'
import { UsageError } from './failure.ts'
import {
  allowDataLossOption,
  bareUrl,
  databaseOption,
  deploymentLocationOf,
  locationOf,
  sharedDeploymentOptions,
  shownLocation,
} from './location.ts'

const DATABASE = 'postgres://user:pass-word@db:5432/fleet?sslmode=require'
const REDIS = 'redis://:pass-word@cache:6379'

/** The options of a command, from flags and from the environment. */
const SETTLING = ['DATABASE_URL', 'DATABASE_REPLICA_URL', 'REDIS_URL', 'FLEETGATE_ALLOW_DATA_LOSS']

function given(args: string[], environment: Record<string, string> = {}): Command {
  const made = new Command('serve').exitOverride()
  made.addOption(option('--data <dir>', 'folder').default('./data'))
  made.addOption(option('--strict-limits', 'strict'))
  for (const each of [databaseOption(), allowDataLossOption(), ...sharedDeploymentOptions()]) {
    made.addOption(each)
  }
  const before = { ...process.env }
  for (const name of SETTLING) delete process.env[name]
  Object.assign(process.env, environment)
  try {
    return made.parse(args, { from: 'user' })
  } finally {
    process.env = before
  }
}

describe('The data location of a command', () => {
  const found: [string, string[], Record<string, string>, object][] = [
    ['the usual folder', [], {}, { folder: './data' }],
    ['a folder', ['--data', 'd'], {}, { folder: 'd' }],
    ['a database', ['--database', DATABASE], {}, { database: DATABASE, allowDataLoss: false }],
    [
      'the database of the environment',
      [],
      { DATABASE_URL: DATABASE },
      { database: DATABASE, allowDataLoss: false },
    ],
    [
      'a folder, whatever the environment says',
      ['--data', 'd'],
      { DATABASE_URL: DATABASE },
      { folder: 'd' },
    ],
    [
      'a database, whatever the environment says',
      ['--database', DATABASE],
      { FLEETGATE_DATA: 'd' },
      { database: DATABASE, allowDataLoss: false },
    ],
    [
      'a database rather than a folder, of two in the environment',
      [],
      { FLEETGATE_DATA: 'd', DATABASE_URL: DATABASE },
      { database: DATABASE, allowDataLoss: false },
    ],
  ]
  for (const [what, args, environment, location] of found) {
    it(what, () => assert.deepEqual(locationOf(given(args, environment)), location))
  }

  it('must not be a folder and a database at once', () => {
    assert.throws(() => locationOf(given(['--data', 'd', '--database', DATABASE])), UsageError)
  })
})

describe('The data location of a server', () => {
  it('takes a database with its replicas, and Redis', () => {
    const args = [
      '--database-replica',
      `${DATABASE}1,${DATABASE}2`,
      '--database-replica',
      `${DATABASE}3`,
    ]
    const self = given(args, { DATABASE_URL: DATABASE, REDIS_URL: REDIS })
    assert.deepEqual(deploymentLocationOf(self), {
      database: DATABASE,
      replicas: [`${DATABASE}1`, `${DATABASE}2`, `${DATABASE}3`],
      allowDataLoss: false,
      redis: REDIS,
      isStrict: false,
    })
  })

  it('is a folder of the command line, despite the environment', () => {
    const self = given(['--data', 'd'], { DATABASE_URL: DATABASE, REDIS_URL: REDIS })
    assert.deepEqual(deploymentLocationOf(self), { folder: 'd' })
  })

  const refused: [string[], Record<string, string>, RegExp][] = [
    [['--database', DATABASE], {}, /--database requires --redis or REDIS_URL/],
    [[], { DATABASE_URL: DATABASE }, /DATABASE_URL requires --redis/],
    [['--redis', REDIS], {}, /--redis requires --database or DATABASE_URL/],
    [[], { REDIS_URL: REDIS }, /REDIS_URL requires --database.*--data/],
    [['--data', 'd', '--redis', REDIS], {}, /--redis requires --database/],
    [[], { DATABASE_REPLICA_URL: DATABASE }, /DATABASE_REPLICA_URL requires --database/],
    [['--strict-limits'], {}, /--strict-limits requires --database/],
  ]
  for (const [args, environment, says] of refused) {
    it(`is named when it is missing: ${[...args, ...Object.keys(environment)].join(' ')}`, () => {
      assert.throws(
        () => deploymentLocationOf(given(args, environment)),
        (error: Error) => error instanceof UsageError && says.test(error.message),
      )
    })
  }
})

describe('A secret in a location', () => {
  it('is not in the error for a URL', () => {
    for (const [flag, url] of [
      ['--database', 'mysql://user:pass-word@db/fleet'],
      ['--database', 'user:pass-word'],
      ['--redis', 'http://:pass-word@cache'],
      ['--database-replica', `${DATABASE},pass-word`],
    ] as const) {
      assert.throws(
        () => given([flag, url]),
        (error: Error) =>
          error instanceof UsageError &&
          error.message.startsWith(`${flag} must be a URL such as `) &&
          !error.message.includes('pass-word'),
      )
    }
  })

  it('is left out when the location is shown', () => {
    const location = {
      database: DATABASE,
      replicas: [],
      allowDataLoss: false,
      redis: REDIS,
      isStrict: false,
    }
    assert.deepEqual(shownLocation(location), {
      data: 'postgres://db:5432/fleet',
      redis: 'redis://cache:6379',
    })
    assert.equal(bareUrl('postgres://u:p/@ss@db/x?password=y'), 'postgres://db/x')
    assert.equal(bareUrl('rediss://a:1,b:2'), 'rediss://a:1,b:2')
  })
})
