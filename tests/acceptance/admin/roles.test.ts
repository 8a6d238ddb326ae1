import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  assertError,
  type Described,
  done,
  OPERATIONS,
  type Operator,
  startConsole,
} from '../harness/admin.ts'
import { comparable, owned, targetOf } from '../harness/owned.ts'
import { newPerson, newProgram } from '../harness/people.ts'

/**
 * The matrix: every operation of the description by every role, as a person and as a program, in its own organization
 * and in a foreign one. The rules are stated here again, in words of their own.
 */

const console = await startConsole()
const { operator, origin } = console
const [own, foreign] = [await owned(operator, 'Own'), await owned(operator, 'Foreign')]
const MISSING = 9_007_199_254_740_991
const ROLES = ['operator', 'support', 'administrator', 'viewer'] as const
type Role = (typeof ROLES)[number]

/** Open to everybody, who may not have signed in yet. */
const OPEN = [
  ...['beginSignOn', 'endSessionsOfProvider', 'endSignOn', 'finishSignOn'],
  ...['getSession', 'readOneTimeUrl', 'setUp', 'signIn'],
]
const CLOSED = OPERATIONS.filter(({ isOpen }) => !isOpen)
/** About the account of the caller, so that any person may call them. */
const ABOUT_ONESELF = [
  ...['signOut', 'changePassword', 'acceptInvitation', 'newTotp', 'setTotp'],
  'linkAccount',
  ...['listOwnSessions', 'endOwnSession'],
]
const IN_ORGANIZATION = '/organizations/{organization}'
/** Paths of no organization that everybody with a role may read. */
const SHARED = ['listOrganizations', 'getServer', 'getMapTiles']
/** The paths that a viewer reads, below that of the organization. */
const VIEWED =
  /^(?:$|\/(?:objects|live|refused-idents|wrong-clocks|usage|quota|(?:trips|stops|visits|levels|days|day-totals)(?:\.csv|\.xlsx)?|(?:geofences|routes|sites)(?:\.geojson)?)(?:\/|$))/

const isAboutOneself = ({ id }: Described) => ABOUT_ONESELF.includes(id)
const inOrganization = ({ path }: Described) => path.startsWith(IN_ORGANIZATION)

const MAY: Record<Role, (operation: Described) => boolean> = {
  operator: () => true,
  // A trial of the rules has a body, and so has a search of values.
  support: ({ id, method }) => method === 'GET' || ['tryRouting', 'findValues'].includes(id),
  administrator: (operation) =>
    (inOrganization(operation) && operation.id !== 'deleteOrganization') ||
    SHARED.includes(operation.id),
  // A diagnosis says of tokens when they were used, and erased ranges name webhooks.
  viewer: (operation) =>
    operation.method === 'GET' &&
    !['diagnoseObject', 'listErasedRanges'].includes(operation.id) &&
    (SHARED.includes(operation.id) ||
      (inOrganization(operation) && VIEWED.test(operation.path.slice(IN_ORGANIZATION.length)))),
}

/** A way in that somebody gets would outlive a token, so no program gives one. */
const isForPeople = ({ method, path }: Described) =>
  method !== 'GET' && /\/(?:people|invitations|access)(?:\/|$)/.test(path)

type Caller = Operator & { isPerson: boolean; role: Role | null }

const OF_DEPLOYMENT: readonly Role[] = ['operator', 'support']
const callers: Record<string, Caller> = {}
for (const role of ROLES) {
  const place = OF_DEPLOYMENT.includes(role) ? null : own.organization
  callers[`a person, ${role}`] = {
    ...(await newPerson(origin, operator, role, place)),
    ...{ isPerson: true, role },
  }
  callers[`a program, ${role}`] = {
    ...(await newProgram(origin, operator, role, place)),
    ...{ isPerson: false, role },
  }
}
const nobody = await newPerson(origin, operator, 'viewer', own.organization)
await operator.patch(`/organizations/${own.organization}/people/${nobody.id}`, { role: null })
callers['a person without a role'] = { ...nobody, isPerson: true, role: null }

describe('The description of every operation', () => {
  for (const operation of CLOSED) {
    const { id, people, tokens } = operation
    it(`names the roles that may call it: ${id}`, () => {
      const roles = isAboutOneself(operation) ? [] : ROLES.filter((role) => MAY[role](operation))
      assert.ok(roles.length > 0 || isAboutOneself(operation), 'nobody may call it')
      assert.deepEqual(people, roles)
      assert.deepEqual(tokens, isForPeople(operation) ? [] : roles)
    })
  }

  it('covers all operations that need a role, and what is open to everybody', () => {
    const open = OPERATIONS.filter(({ isOpen }) => isOpen).map(({ id }) => id)
    assert.deepEqual(open.sort(), OPEN)
    assert.ok(CLOSED.length > 100, `${CLOSED.length}`)
  })
})

/** A body that every operation rejects: a call that the role allows changes nothing. */
const NOTHING = JSON.stringify({ nothing: 'known' })

/** Without a body they act at once, so they are only sent where they are refused. */
const isAtOnce = ({ method, takes, takesFile }: Described) =>
  method !== 'GET' && takes === undefined && !takesFile

/** `isLet`: whether the caller is let in. A GET of the live stream would not end then. */
function send(
  caller: Operator,
  operation: Described,
  things: typeof own,
  { body, isLet = false }: { body?: string; isLet?: boolean } = {},
) {
  const { method, id, takes, takesFile } = operation
  const sent = body ?? (takes === undefined && !takesFile ? undefined : NOTHING)
  const asked = id === 'watchObjects' && isLet ? 'HEAD' : method
  return caller.ask(asked, targetOf(operation, things, MISSING), { body: sent })
}

for (const [name, caller] of Object.entries(callers)) {
  const { isPerson, role } = caller
  const may = (operation: Described) => {
    if (isAboutOneself(operation)) return isPerson
    return role !== null && MAY[role](operation) && (isPerson || !isForPeople(operation))
  }

  describe(`Among all operations, ${name}`, () => {
    it('may call those of its role in its organization, and no other', async () => {
      for (const operation of CLOSED) {
        if (may(operation)) {
          if (isAtOnce(operation)) continue
          const { status, text } = await send(caller, operation, own, { isLet: true })
          assert.ok(![401, 403].includes(status), `${operation.id}: ${status} ${text}`)
          continue
        }
        const answer = await send(caller, operation, own)
        if (!isPerson && (isForPeople(operation) || isAboutOneself(operation))) {
          assertError(answer, 403, 'not_a_person')
        } else if (role === null && inOrganization(operation)) {
          assertError(answer, 404, 'not_found')
        } else {
          assertError(answer, 403, 'beyond_role')
        }
      }
    })

    if (role !== null && OF_DEPLOYMENT.includes(role)) return

    it('gets the same answer for a foreign organization as for a missing one', async () => {
      for (const operation of CLOSED.filter(inOrganization)) {
        const bodies = operation.takes === undefined ? [undefined] : [NOTHING, '{', '{"name":"x"}']
        for (const body of bodies) {
          const answers = []
          for (const organization of [foreign.organization, MISSING]) {
            const things = { ...foreign, organization }
            answers.push(await send(caller, operation, things, { ...(body && { body }) }))
          }
          const isOdd = !isPerson && isForPeople(operation)
          if (isOdd) assertError(answers[0]!, 403, 'not_a_person')
          else assertError(answers[0]!, 404, 'not_found')
          assert.equal(comparable(answers[0]!), comparable(answers[1]!), operation.id)
        }
      }
    })

    it('reads nothing of another organization', async () => {
      for (const operation of CLOSED.filter(
        ({ method, id }) => method === 'GET' && id !== 'watchObjects',
      )) {
        if (!may(operation)) continue
        const answer = await send(caller, operation, own)
        if (answer.status === 404) continue
        done(answer)
        assert.ok(!answer.text.includes('Foreign'), `${operation.id}: ${answer.text}`)
      }
      const { status, json } = await caller.ask('GET', '/organizations?search=Foreign')
      if (role !== null) assert.deepEqual([status, json], [200, { items: [] }])
    })
  })
}
