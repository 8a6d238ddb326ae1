import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { jsonHere, runHere } from '../../../packages/server/testing/command-line/run-here.ts'
import { assertError, operatorBy, startConsole } from '../harness/admin.ts'
import { request } from '../harness/client.ts'
import { clock } from '../harness/clock.ts'
import type { Json } from '../harness/fleetgate.ts'
import { postRows } from '../harness/sender.ts'

const console = await startConsole()
const { operator } = console
const { get, post } = operator
const TIME = '2026-11-20T09:00:00Z'

const { secret: token } = await post('/routing/tokens', { name: 'Traccar' })

const rowOf = (ident: string, more: object = {}) => ({
  ...{ ident, time_device: TIME, latitude: 41.5, longitude: 2.25 },
  ...more,
})
const send = (...rows: object[]) => postRows(console.server.feed, token, rows)

/** Forwards a position as Traccar does. */
const forward = (uniqueId: string, device: object = {}, attributes: object = {}) =>
  request(console.server.feed, '/feed/v1/traccar', {
    method: 'POST',
    headers: { 'x-feed-token': token },
    body: JSON.stringify({
      position: { fixTime: TIME, valid: true, latitude: 41.5, longitude: 2.25, attributes },
      device: { uniqueId, name: `Name of ${uniqueId}`, groupId: 0, ...device },
    }),
  })

async function newOrganization(settings: object = {}): Promise<number> {
  return (await post('/organizations', { name: 'Customer', ...settings })).id
}

const identsOf = async (organization: number): Promise<string[]> =>
  (await get(`/organizations/${organization}/objects`)).items.map(({ ident }: Json) => ident)

/** Whether each object of an organization has a position. */
const positioned = async (organization: number): Promise<Record<string, boolean>> =>
  Object.fromEntries(
    (await get(`/organizations/${organization}/objects`)).items.map(
      ({ ident, time_device }: Json) => [ident, time_device !== null],
    ),
  )

const newObject = (organization: number, ident: string) =>
  post(`/organizations/${organization}/objects`, { name: ident, ident })

/** Waits until packets of an ident have been noted, which a server does once a second. */
const waiting = (ident: string, packets = 1) =>
  until(async () => {
    const { items } = await get('/routing/waiting')
    return (items as Json[]).find((each) => each.ident === ident && each.packets >= packets)
  })

describe('A feed token of the deployment', async () => {
  const [one, two] = [await newOrganization(), await newOrganization()]
  await newObject(one, 'bus 1')
  await newObject(two, 'bus 2')

  it('sends a batch to the owners of its idents, and rejects the rows of others', async () => {
    const result = await send(rowOf('bus 1'), rowOf('nobody’s'), rowOf('bus 2'), { ident: 'bus 1' })
    const { rejects, ...counts } = result
    assert.deepEqual(counts, { stored: 2, duplicate: 0, conflict: 0, rejected: 2 })
    assert.deepEqual(
      rejects.map(({ index, reason }: Json) => [index, reason]),
      [
        [1, 'waiting_ident'],
        [3, 'missing_field'],
      ],
    )
    assert.deepEqual(await positioned(one), { 'bus 1': true })
    assert.deepEqual(await positioned(two), { 'bus 2': true })
    assert.equal((await send(rowOf('bus 1'))).duplicate, 1)
  })

  it('gets 202 for an ident that waits, in every format with one status', async () => {
    const headers = { 'x-feed-token': token }
    const sent: [string, string][] = [
      ['osmand', `id=stranger&timestamp=${TIME}&lat=41&lon=2`],
      [
        'osmand',
        JSON.stringify({
          device_id: 'stranger',
          location: { timestamp: TIME, coords: { latitude: 41, longitude: 2 } },
        }),
      ],
      [
        'owntracks',
        JSON.stringify({
          _type: 'location',
          topic: 'stranger',
          tst: 1_795_168_740,
          lat: 41,
          lon: 2,
        }),
      ],
      [
        'overland',
        JSON.stringify({
          locations: [
            {
              geometry: { type: 'Point', coordinates: [2, 41] },
              properties: { timestamp: TIME, device_id: 'stranger' },
            },
          ],
        }),
      ],
    ]
    const answers = [await forward('stranger')]
    for (const [format, body] of sent) {
      answers.push(
        await request(console.server.feed, `/feed/v1/${format}`, { method: 'POST', headers, body }),
      )
    }
    for (const { status, json } of answers) {
      assert.equal(status, 202)
      assert.match(json.message, /^waiting_ident: .*'stranger'.*not stored/)
    }
  })

  it('reaches both organizations that share an ident', async () => {
    const answer = await operator.ask('POST', '/routing/assign', {
      body: { ident: 'bus 1', organizations: [two] },
    })
    assertError(answer, 409, 'conflict', 'if_owned')
    const shared = { ident: 'bus 1', organizations: [two], if_owned: 'share' }
    assert.deepEqual((await post('/routing/assign', shared)).organizations, [one, two])
    assert.equal((await forward('bus 1')).status, 200)
    const again = await send(
      rowOf('bus 1'),
      rowOf('bus 1', { time_device: '2026-11-20T10:00:00Z' }),
    )
    assert.deepEqual([again.stored, again.duplicate], [1, 1])
    assert.equal((await positioned(two))['bus 1'], true)
  })

  it('stores nothing for an organization that only has an object of the ident', async () => {
    await newObject(two, 'of one')
    const squatter = await newOrganization()
    await newObject(squatter, 'of one')
    assert.equal((await send(rowOf('of one'))).stored, 1)
    assert.deepEqual(await positioned(squatter), { 'of one': false })
    await post('/routing/assign', { ident: 'of one', organizations: [squatter], if_owned: 'move' })
    assert.equal((await send(rowOf('of one', { latitude: 42 }))).stored, 1)
    assert.deepEqual(await positioned(squatter), { 'of one': true })
  })

  it('stores a row where it can, and does not call it stored while one organization has no object', async () => {
    const full = await newOrganization({ max_objects: 0 })
    const { id } = await post('/routing/rules', {
      condition: 'ident',
      any_of: ['both'],
      organizations: [one, full],
    })
    const { rejects, stored } = await send(rowOf('both'))
    assert.deepEqual([stored, rejects[0].reason], [0, 'limit_of_objects'])
    assert.equal((await positioned(one)).both, true)
    const answer = await forward('both')
    assert.equal(answer.status, 202)
    assert.match(answer.json.message, /^limit_of_objects: /)
    await operator.patch(`/organizations/${full}`, { max_objects: 1 })
    assert.equal((await send(rowOf('both'))).stored, 1)
    assert.deepEqual(await positioned(full), { both: true })
    await operator.delete(`/routing/rules/${id}`)
  })

  it('counts its requests, as the token of an organization does', async () => {
    const own = await post(`/organizations/${one}/feed-tokens`, { name: 'own' })
    const shared = await post('/routing/tokens', { name: 'counted' })
    const requestsOf = async (path: string, { credential }: Json) => {
      const { items } = await get(path)
      const found = items.find(({ id }: Json) => id === credential.id)
      return [found.requests_today, found.requests_30_days]
    }
    for (const { secret } of [own, shared]) {
      for (const _ of 'abc') assert.equal((await postRaw(secret)).status, 200)
    }
    assert.deepEqual(await requestsOf('/routing/tokens', shared), [3, 3])
    await postRaw(shared.secret)
    assert.deepEqual(await requestsOf('/routing/tokens', shared), [4, 4])
    assert.deepEqual(await requestsOf(`/organizations/${one}/feed-tokens`, own), [3, 3])
    await post(`/routing/tokens/${shared.credential.id}/revoke`, undefined)
  })

  it('is rotated and revoked like others, and never an organization’s', async () => {
    const issued = await post('/routing/tokens', { name: 'second' })
    const { id } = issued.credential
    const rotated = await post(`/routing/tokens/${id}/rotate`, { overlap_hours: 0 })
    assert.equal((await postRaw(issued.secret)).status, 401)
    assert.equal((await postRaw(rotated.secret)).status, 200)
    await post(`/routing/tokens/${rotated.credential.id}/revoke`, undefined)
    assert.equal((await postRaw(rotated.secret)).status, 401)
    const names = (await get('/routing/tokens')).items.map(({ name }: Json) => name)
    assert.deepEqual(names, ['Traccar', 'counted', 'second', 'second'])
    const unknown = await operator.ask(
      'POST',
      `/organizations/${one}/feed-tokens/${id + 1_000}/revoke`,
    )
    assertError(unknown, 404, 'not_found')
    const log = console.server.log.filter(({ msg }) => msg === 'feed request')
    assert.ok(log.some((line) => line.status === 401))
  })

  const postRaw = (secret: string) =>
    request(console.server.feed, '/feed/v1/positions', {
      ...{ method: 'POST', headers: { 'x-feed-token': secret }, body: '[]' },
    })
})

describe('The audit log of an organization', () => {
  it('shows that its ident is shared with another, taken back, or moved', async () => {
    const [first, second, third] = [
      await newOrganization(),
      await newOrganization(),
      await newOrganization(),
    ]
    const entriesOf = async (organization: number) =>
      (await get(`/organizations/${organization}/audit`)).items
        .filter(({ action }: Json) => action.startsWith('ident.'))
        .map(({ action, name, changes }: Json) => [action, name, changes])
    await newObject(first, 'shared bus')
    const cli = [...console.deployment.args, '--json']
    const args = ['routing', 'waiting', 'assign', 'shared bus', '--if-owned', 'share']
    await runHere([...args, '--orgs', `${second}`, ...cli])
    const update = (from: number, to: number) => [
      ...['ident.update', 'shared bus'],
      { owners: { from, to } },
    ]
    assert.deepEqual(await entriesOf(first), [update(1, 2)])
    assert.deepEqual(await entriesOf(second), [['ident.assign', 'shared bus', null]])
    // Nobody's ownership changes.
    await runHere([...args, '--orgs', `${second}`, ...cli])
    assert.equal((await entriesOf(first)).length, 1)
    const move = { ident: 'shared bus', organizations: [first, third], if_owned: 'move' }
    await post('/routing/assign', move)
    assert.deepEqual(await entriesOf(first), [update(2, 2), update(1, 2)])
    assert.deepEqual((await entriesOf(second))[0], ['ident.release', 'shared bus', null])
    assert.deepEqual(await entriesOf(third), [['ident.assign', 'shared bus', null]])
  })
})

describe('An ident that waits', async () => {
  const organization = await newOrganization()

  it('is listed with its device, and gets an object when it is assigned', async () => {
    await forward('new', { groupId: 7 })
    await forward('new', { groupId: 7 })
    const { first_at, last_at, ...listed } = await waiting('new', 2)
    assert.ok(first_at <= last_at)
    assert.deepEqual(listed, {
      ...{ ident: 'new', format: 'traccar', packets: 2, latitude: 41.5, longitude: 2.25 },
      ...{ name: 'Name of new', group: '7', rule: null },
    })
    await post('/routing/assign', { ident: 'new', organizations: [organization] })
    assert.equal((await forward('new')).status, 200)
    assert.deepEqual(await positioned(organization), { new: true })
    const { items } = await get('/routing/waiting')
    assert.ok(!items.some(({ ident }: Json) => ident === 'new'))
  })

  it('is named by its device, also if it was assigned before it sent', async () => {
    const nameOf = async (ident: string) => {
      const { items } = await get(`/organizations/${organization}/objects`)
      return items.find((each: Json) => each.ident === ident).name
    }
    const assigned = await post('/routing/assign', {
      ident: 'early',
      organizations: [organization],
    })
    assert.equal(assigned.was_unknown, true)
    assert.equal(await nameOf('early'), 'early')
    assert.equal((await forward('early')).status, 200)
    assert.equal(await nameOf('early'), 'Name of early')
    await forward('early', { name: 'Renamed there' })
    assert.equal(await nameOf('early'), 'Name of early')
  })

  it('is named by no packet of its private hours', async () => {
    const { id } = await newObject(organization, 'at night')
    const at = `/organizations/${organization}/objects/${id}`
    await operator.patch(at, { name: 'at night', private_hours: 'Mo-Su' })
    await post('/routing/assign', { ident: 'at night', organizations: [organization] })
    assert.equal((await forward('at night')).status, 200)
    assert.equal((await get(at)).name, 'at night')
    await operator.patch(at, { private_hours: null })
    await forward('at night', { name: 'Night bus' })
    assert.equal((await get(at)).name, 'Night bus')
  })

  it('keeps the name that somebody gave it', async () => {
    const { id } = await newObject(organization, 'sends first')
    const at = `/organizations/${organization}/objects/${id}`
    await forward('sends first')
    await operator.patch(at, { name: 'sends first' })
    await forward('sends first')
    assert.equal((await get(at)).name, 'sends first')
  })

  it('is dismissed until it sends again', async () => {
    await forward('noise')
    await waiting('noise')
    const body = { body: { ident: 'noise' } }
    assert.equal((await operator.ask('POST', '/routing/waiting/dismiss', body)).status, 204)
    const { items } = await get('/routing/waiting')
    assert.ok(!items.some(({ ident }: Json) => ident === 'noise'))
    await forward('noise')
    assert.equal((await waiting('noise')).packets, 1)
  })

  it('is assigned to nobody who lacks room or does not exist', async () => {
    const full = await newOrganization({ max_objects: 0 })
    const assign = (id: number) =>
      operator.ask('POST', '/routing/assign', { body: { ident: 'x', organizations: [id] } })
    assertError(await assign(full), 409, 'conflict', 'organizations')
    assertError(await assign(999_999), 400, 'invalid', 'organizations')
  })
})

describe('Rules', async () => {
  const [north, south] = [await newOrganization(), await newOrganization()]
  const add = (rule: object) => post('/routing/rules', rule)

  it('place new idents by list, prefix, group and attribute, the first that matches', async () => {
    await add({ condition: 'ident', any_of: ['r-list', 'r-other'], organizations: [north] })
    await add({ condition: 'prefix', any_of: ['r-pre'], organizations: [south] })
    await add({ condition: 'group', any_of: ['12', 'Depot'], organizations: [north, south] })
    await add({
      ...{ condition: 'attribute', attribute: 'customer', any_of: ['5'] },
      organizations: [south],
    })
    const last = await add({ condition: 'prefix', any_of: ['r-'], organizations: [north] })
    await post(`/routing/rules/${last.id}/move`, { before: null })
    assert.equal((await forward('r-list', { groupId: 12 })).status, 200)
    assert.equal((await forward('r-pre-1')).status, 200)
    assert.equal((await forward('r-group', { groupId: 12 })).status, 200)
    assert.equal((await forward('r-attribute', {}, { customer: 5 })).status, 200)
    assert.equal((await forward('r-device', { attributes: { customer: '5' } })).status, 200)
    assert.equal((await send(rowOf('r-native', { customer: 5 }), rowOf('r-rest'))).stored, 2)
    assert.equal((await forward('other')).status, 202)
    assert.equal((await waiting('other')).rule, last.id)
    assert.deepEqual(await positioned(north), { 'r-list': true, 'r-group': true, 'r-rest': true })
    assert.deepEqual(await positioned(south), {
      ...{ 'r-pre-1': true, 'r-group': true, 'r-attribute': true, 'r-device': true },
      'r-native': true,
    })
  })

  it('count the idents that they placed, and say when last', async () => {
    const { items } = await get('/routing/rules')
    assert.deepEqual(
      items.map(({ placed_idents }: Json) => placed_idents),
      [1, 1, 1, 3, 1],
    )
    for (const { last_placed_at } of items)
      assert.ok(Math.abs(Date.parse(last_placed_at) - clock.now()) < 60_000)
    const none = await add({ condition: 'ident', any_of: ['r-list'], organizations: [south] })
    assert.equal((await forward('r-list')).status, 200)
    assert.deepEqual([none.placed_idents, none.last_placed_at], [0, null])
    const last = (await get('/routing/rules')).items.at(-1)
    assert.deepEqual([last.placed_idents, last.last_placed_at], [0, null], 'its ident has an owner')
    const { stdout } = await runHere(['routing', 'rules', 'list', ...console.deployment.args])
    assert.match(stdout, /PLACED IDENTS +LAST PLACED\n/)
    await operator.delete(`/routing/rules/${none.id}`)
  })

  it('believe the Traccar server about a device, and not what the device sends', async () => {
    await add({
      ...{ condition: 'attribute', attribute: 'customer', any_of: ['9'] },
      organizations: [north],
    })
    const sent = { customer: '9' }
    assert.equal((await forward('r-own', { attributes: { customer: '5' } }, sent)).status, 200)
    assert.equal((await forward('r-field', { customer: '5' }, sent)).status, 200)
    const found = (await identsOf(south)).filter((ident) => ['r-own', 'r-field'].includes(ident))
    assert.deepEqual(found, ['r-own', 'r-field'])
  })

  it('leave idents with an owner alone, and do not make one twice', async () => {
    assert.equal((await forward('r-list', {}, { customer: 5 })).status, 200)
    assert.ok(!(await identsOf(south)).includes('r-list'))
    const tried = await post('/routing/test', { ident: 'r-list' })
    assert.deepEqual([tried.owners, tried.rule, tried.organizations], [[north], null, [north]])
    const trial = { ident: 'r-new', group: 'Depot', attribute: 'customer', value: '5' }
    assert.deepEqual((await post('/routing/test', trial)).organizations, [north, south])
  })

  it('may leave the object to the organization', async () => {
    const own = await newOrganization()
    await add({
      ...{ condition: 'ident', any_of: ['later'] },
      organizations: [own],
      create_objects: false,
    })
    assert.equal((await forward('later')).status, 202)
    await until(async () => {
      const { items } = await get(`/organizations/${own}/refused-idents`)
      return items[0]?.ident === 'later' || undefined
    })
    const rule = await until(async () => {
      const { items } = await get('/routing/rules')
      const found = items.find(({ create_objects }: Json) => !create_objects)
      return found.last_placed_at === null ? undefined : found
    })
    assert.equal(rule.placed_idents, 0)
    await newObject(own, 'later')
    assert.equal((await forward('later')).status, 200)
  })

  it('are refused without an attribute, with a foreign one, or for no organization or one twice', async () => {
    const bad = async (rule: object) => operator.ask('POST', '/routing/rules', { body: rule })
    const rule = { condition: 'attribute', any_of: ['x'], organizations: [north] }
    assertError(await bad(rule), 400, 'invalid', 'attribute')
    assertError(
      await bad({ ...rule, condition: 'ident', attribute: 'a' }),
      400,
      'invalid',
      'attribute',
    )
    assertError(await bad({ ...rule, attribute: 'a', any_of: [] }), 400, 'invalid', 'any_of')
    for (const organizations of [[999_999], [north, north]]) {
      const wrong = { ...rule, attribute: 'a', organizations }
      assertError(await bad(wrong), 400, 'invalid', 'organizations')
    }
    assertError(await operator.ask('DELETE', '/routing/rules/999999'), 404, 'not_found')
  })
})

describe('A token of one organization', async () => {
  const owner = await newOrganization()
  const other = await newOrganization({ create_objects: true })
  await newObject(owner, 'theirs')
  const { secret } = await post(`/organizations/${other}/feed-tokens`, { name: 'own' })

  it('makes no object of an ident that another owns, and does not learn which', async () => {
    const { rejects } = await postRows(console.server.feed, secret, [
      rowOf('theirs'),
      rowOf('mine'),
    ])
    assert.deepEqual(
      rejects.map(({ reason }: Json) => reason),
      ['foreign_ident'],
    )
    assert.doesNotMatch(JSON.stringify(rejects), new RegExp(`organization ${owner}|Customer`))
    assert.deepEqual(await identsOf(other), ['mine'])
    const headers = { 'x-feed-token': secret }
    const body = `id=theirs&timestamp=${TIME}&lat=41&lon=2`
    const answer = await request(console.server.feed, '/feed/v1/osmand', {
      method: 'POST',
      headers,
      body,
    })
    assertError400(answer.json)
    const [refused] = await until(async () => {
      const { items } = await get(`/organizations/${other}/refused-idents`)
      return items.length > 0 ? (items as Json[]) : undefined
    })
    assert.deepEqual([refused!.ident, refused!.reason], ['theirs', 'foreign_ident'])
  })

  function assertError400({ errorCode, message }: Json): void {
    assert.equal(errorCode, 'FEED.400_002')
    assert.match(message, /^foreign_ident: /)
  }
})

describe('An administrator of one organization', async () => {
  const [guesser, customer] = [await newOrganization(), await newOrganization()]
  const { secret } = await post(`/organizations/${guesser}/tokens`, {
    name: 'Provisioning',
    role: 'administrator',
  })
  const administrator = operatorBy(() => console.server.admin, {
    authorization: `Bearer ${secret}`,
  })

  it('owns no ident ahead of a rule for another, unlike an operator', async () => {
    const prefix = { condition: 'prefix', any_of: ['next-'], organizations: [customer] }
    await post('/routing/rules', prefix)
    const guessed = await administrator.post(`/organizations/${guesser}/objects`, {
      ...{ name: 'Guess', ident: 'next-1' },
    })
    const free = { ident: 'free-1' }
    await administrator.patch(`/organizations/${guesser}/objects/${guessed.id}`, free)
    await administrator.patch(`/organizations/${guesser}/objects/${guessed.id}`, {
      ident: 'next-1',
    })
    assert.equal((await send(rowOf('next-1'))).stored, 1)
    assert.deepEqual(await positioned(guesser), { 'next-1': false })
    assert.deepEqual(await positioned(customer), { 'next-1': true })
    await newObject(guesser, 'next-2')
    assert.equal((await send(rowOf('next-2'))).stored, 1)
    assert.deepEqual(await positioned(guesser), { 'next-1': false, 'next-2': true })
    assert.deepEqual(await identsOf(customer), ['next-1'])
  })
})

describe('The command line', async () => {
  const organization = await newOrganization()
  const run = (...args: string[]) => jsonHere(['routing', ...args, ...console.deployment.args])

  it('gives an ident the name of its device, in each organization, and says if nobody sent it', async () => {
    const other = await newOrganization()
    await forward('named-bus', { name: 'Line 7' })
    await waiting('named-bus')
    const orgs = ['--orgs', `${organization},${other}`]
    assert.equal((await run('waiting', 'assign', 'named-bus', ...orgs)).was_unknown, false)
    for (const id of [organization, other]) {
      const { items } = await get(`/organizations/${id}/objects`)
      const { name } = items.find(({ ident }: Json) => ident === 'named-bus')
      assert.equal(name, 'Line 7')
    }
    const assign = ['routing', 'waiting', 'assign', 'mistyped', ...orgs]
    const { stdout } = await runHere([...assign, ...console.deployment.args])
    const said = `belongs to organizations ${organization} and ${other}.\nNo packet with this ident was waiting`
    assert.ok(stdout.includes(said), stdout)
  })

  it('takes names of organizations, and suggests one for a wrong name', async () => {
    const { id } = await post('/organizations', { name: 'Acme Buses' })
    const to = (name: string) => run('waiting', 'assign', 'acme-bus', '--orgs', name)
    assert.deepEqual((await to('acme buses')).organizations, [id])
    await assert.rejects(to('Acme Bused'), new RegExp(`such as Acme Buses \\(${id}\\)`))
  })

  it('puts a rule before no rule that is not there', async () => {
    const { id } = await post('/routing/rules', {
      ...{ condition: 'ident', any_of: ['kept'], organizations: [organization] },
    })
    await assert.rejects(
      run('rules', 'move', `${id}`, '--before', '999'),
      /before must be the id of a rule/,
    )
    const added = { condition: 'ident', any_of: ['x'], organizations: [organization], before: 999 }
    const answer = await operator.ask('POST', '/routing/rules', { body: added })
    assertError(answer, 409, 'conflict', 'before')
    await run('rules', 'remove', `${id}`)
  })

  it('lists the refused idents of all organizations at once', async () => {
    const full = await newOrganization({ max_objects: 0 })
    await post('/routing/rules', {
      ...{ condition: 'ident', any_of: ['too many'], organizations: [full] },
    })
    await forward('too many')
    const found = await until(async () => {
      const listed: Json[] = await jsonHere([
        'objects',
        'refused-idents',
        ...console.deployment.args,
      ])
      return listed.find(({ ident }) => ident === 'too many')
    })
    assert.deepEqual([found.organization, found.reason], [full, 'limit_of_objects'])
    const { items } = await get('/refused-idents')
    assert.ok(items.some(({ ident }: Json) => ident === 'too many'))
  })

  it('does all of it, and the audit log has it', async () => {
    const { token: secret, organization: none, id } = await run('token', 'issue', '--name', 'cli')
    assert.equal(none, null)
    const rule = await run(
      'rules',
      'add',
      '--condition',
      'group',
      '--any-of',
      '99, 98',
      '--orgs',
      `${organization}`,
    )
    assert.deepEqual(rule.any_of, ['99', '98'])
    const moved = await run(
      'rules',
      'move',
      `${rule.id}`,
      '--before',
      `${(await run('rules', 'list'))[0].id}`,
    )
    assert.equal(moved[0].id, rule.id)
    const tried = await run('test', 'cli-bus', '--group', '98', '--attribute', 'a=b')
    assert.deepEqual([tried.rule, tried.organizations], [rule.id, [organization]])
    assert.equal((await run('rules', 'remove', `${rule.id}`)).removed, true)
    await forward('cli-bus')
    await waiting('cli-bus')
    assert.ok((await run('waiting', 'list')).some(({ ident }: Json) => ident === 'cli-bus'))
    await run('waiting', 'dismiss', 'cli-bus')
    const assigned = await run('waiting', 'assign', 'cli-bus', '--orgs', `${organization}`)
    assert.deepEqual(assigned.organizations, [organization])
    assert.equal((await postRows(console.server.feed, secret, [rowOf('cli-bus')])).stored, 1)
    await run('token', 'revoke', `${id}`)
    const { items } = await get('/audit?limit=7')
    assert.deepEqual(
      items.map(({ action }: Json) => action),
      ['deployment_token.revoke', 'ident.assign', 'ident.dismiss', 'routing_rule.delete'].concat([
        ...['routing_rule.move', 'routing_rule.create', 'deployment_token.issue'],
      ]),
    )
  })
})

/** The feed writes its lists a moment after its answer. */
async function until<T>(ask: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; await wait(50)) {
    const found = await ask()
    if (found !== undefined) return found
  }
  throw new Error('it did not come about')
}
