import assert from 'node:assert/strict'
import { describe } from 'node:test'
import {
  type Assignment,
  DEPLOYMENT,
  type IdentOwner,
  MAX_WAITING_IDENTS,
  type NewRoutingRule,
  type RoutingRule,
  type WaitingIdent,
} from '../../src/base/domain/routing-rule.ts'
import type { Store } from '../../src/engine/store/store.ts'
import {
  atOnce,
  idOf,
  MISSING,
  NOW,
  newKey,
  newObject,
  newOrganization,
  objectSettings,
  type StoreTest,
} from './fixture.ts'

const TOKEN = 3
const OF_DEPLOYMENT = { deploymentToken: 3 }

/** A rule that was removed meanwhile. */
const placingRule = (organizations: number[]) => ({ id: MISSING, organizations })

export function routingContract(it: StoreTest): void {
  describe('The owner of an ident', () => {
    it('is the first organization with an object of it', async (store, reopen) => {
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      const object = await newObject(store, one, 'x')
      const other = await newObject(store, two, 'x')
      await store.objects.ensure(two, ['y'], NOW)
      assert.deepEqual(await allOwners(await reopen()), [
        { ident: 'x', organization: one },
        { ident: 'y', organization: two },
      ])
      await store.objects.update(one, object, { name: 'Same ident' }, NOW)
      assert.deepEqual(await store.routing.ownersOf('x'), [one])
      await store.objects.update(one, object, { ident: 'z' }, NOW)
      assert.deepEqual(await allOwners(store, one), [{ ident: 'z', organization: one }])
      assert.deepEqual(await store.routing.ownersOf('x'), [])
      await store.objects.delete(two, other)
      await store.objects.delete(one, object)
      assert.deepEqual(await allOwners(store, one), [])
      await store.organizations.delete(two)
      assert.deepEqual(await allOwners(store), [])
    })

    it('alone gets an object through a feed token', async (store) => {
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      await store.objects.ensure(one, ['x'], NOW, TOKEN)
      const made = await store.objects.ensure(two, ['a', 'x', 'b'], NOW, TOKEN)
      assert.deepEqual([...made.ids.keys()], ['a', 'b'])
      assert.deepEqual([made.created, [...made.foreign]], [2, ['x']])
      const again = await store.objects.ensure(two, ['x'], NOW, TOKEN)
      assert.deepEqual([again.created, [...again.foreign]], [0, ['x']])
      assert.equal((await store.objects.ensure(two, ['x'], NOW)).created, 1)
      assert.deepEqual(await store.routing.ownersOf('x'), [one])
    })

    it('is one of two organizations whose tokens bring it at once', async (store, reopen) => {
      const organizations = [await newOrganization(store), await newOrganization(store)]
      const idents = Array.from({ length: 30 }, (_, index) => `bus ${index}`)
      const made = await atOnce(2, [store, await reopen()], ({ objects }, index) => {
        const own = index === 0 ? idents : idents.toReversed()
        return objects.ensure(organizations[index]!, own, NOW, TOKEN)
      })
      assert.equal(made[0]!.created + made[1]!.created, 30)
      for (const [index, { ids, foreign }] of made.entries()) {
        assert.deepEqual(
          new Set((await allOwners(store, organizations[index]!)).map(({ ident }) => ident)),
          new Set(ids.keys()),
        )
        assert.equal(ids.size + foreign.size, 30)
      }
    })

    it('gets an object through a token of the deployment, and nobody else does', async (store) => {
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      await store.routing.claim(new Map([['x', placingRule([one])]]), NOW)
      const own = await store.objects.ensure(one, ['x', 'y'], NOW, OF_DEPLOYMENT)
      assert.deepEqual([own.created, [...own.foreign]], [1, ['y']])
      const other = await store.objects.ensure(two, ['x', 'y'], NOW, OF_DEPLOYMENT)
      assert.deepEqual([other.created, [...other.foreign]], [0, ['x', 'y']])
    })

    it('is claimed once, for all organizations or none', async (store, reopen) => {
      const ids = [await newOrganization(store), await newOrganization(store)] as const
      const third = await newOrganization(store)
      await newObject(store, third, 'owned')
      const wanted = [placingRule([ids[0], ids[1]]), placingRule([third])]
      const idents = ['owned', ...Array.from({ length: 20 }, (_, index) => `bus ${index}`)]
      const claimed = await atOnce(2, [store, await reopen()], ({ routing }, index) =>
        routing.claim(new Map(idents.map((ident) => [ident, wanted[index]!])), NOW),
      )
      assert.deepEqual(claimed[0], claimed[1])
      assert.deepEqual(claimed[0]!.get('owned'), [third])
      for (const owners of claimed[0]!.values()) {
        assert.ok(
          wanted.some(({ organizations }) => `${organizations}` === `${owners}`),
          `${owners}`,
        )
      }
      const nobody = await store.routing.claim(new Map([['new', placingRule([MISSING])]]), NOW)
      assert.equal(nobody.size, 0)
    })

    it('is nobody who makes an object ahead of a rule for others, unless an operator does', async (store) => {
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      await addRule(store, 'group', ['a', 'z'], [one])
      await addRule(store, 'prefix', ['a'], [two])
      await addRule(store, 'ident', ['z', 'b'], [one, two])
      const { ofOrganization } = store.objects
      const settings = ['a1', 'b', 'c'].map((ident) => objectSettings(ident))
      const [guessed] = await ofOrganization.put(one, settings, NOW)
      await ofOrganization.ensure(one, ['a2'], NOW)
      const sent = await store.objects.ensure(one, ['a3', 'd'], NOW, TOKEN)
      assert.deepEqual([...sent.ids.keys()], ['a3', 'd'])
      assert.deepEqual(await identsOf(store, one), ['c', 'd'])
      await ofOrganization.update(one, idOf(guessed), { ident: 'a4' }, NOW)
      await ofOrganization.put(two, [objectSettings('a5')], NOW)
      assert.deepEqual(await identsOf(store, two), ['a5'])
      await store.objects.update(one, idOf(guessed), { ident: 'a6' }, NOW)
      await store.objects.ensure(one, ['a7'], NOW)
      await newObject(store, one, 'a8')
      assert.deepEqual(await identsOf(store, one), ['a6', 'a7', 'a8', 'c', 'd'])
    })

    it('is whom an operator makes one, with an object', async (store) => {
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      const object = await newObject(store, one, 'x')
      const none = { released: [], name: null, isUnknown: false }
      assert.deepEqual(await store.routing.assign(assignmentTo([two])), { ownedBy: [one] })
      assert.deepEqual(await store.routing.assign(assignmentTo([one, two], 'share')), {
        ...{ ident: 'x', kept: [one], ...none },
        given: [
          { organization: one, object, isNew: false },
          { organization: two, object: null, isNew: true },
        ],
      })
      assert.deepEqual(await store.routing.ownersOf('x'), [one, two])
      for (const _ of 'ab') await store.routing.settle(two, { ident: 'x', name: 'Bus x' }, NOW)
      const [made, ...others] = await store.objects.list(two)
      assert.deepEqual([made?.ident, made?.name, others.length], ['x', 'Bus x', 0])
      await store.objects.update(two, made!.id, { name: 'Same ident' }, NOW)
      assert.deepEqual(await store.routing.ownersOf('x'), [one, two])
      const moved = await store.routing.assign(assignmentTo([two], 'move'))
      assert.ok(typeof moved === 'object' && 'released' in moved)
      assert.deepEqual([moved.released, moved.kept], [[one], [two]])
      await store.routing.settle(one, { ident: 'x', name: 'x' }, NOW)
      assert.equal((await store.objects.list(one)).length, 1)
      assert.equal((await store.objects.ensure(one, ['y'], NOW, TOKEN)).created, 1)
    })

    it('is reported to other processes with the assignment, before objects follow', async (store, reopen, opened) => {
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      const other = await reopen()
      const reported: string[] = []
      const names = new Map([
        [one, 'one'],
        [two, 'two'],
      ])
      const watch = other.watch(({ organization, topic }) => {
        const name = names.get(organization)
        if (name !== undefined) reported.push(`${name} ${topic}`)
      })
      const assigned = async (...assignment: Parameters<typeof assignmentTo>) => {
        await store.routing.assign(assignmentTo(...assignment))
        await opened.settled(watch)
        return reported.splice(0).sort()
      }
      assert.deepEqual(await assigned([one]), ['one idents'])
      assert.deepEqual(await assigned([one]), [])
      assert.deepEqual(await assigned([two]), [])
      assert.deepEqual(await assigned([one, two], 'share'), ['two idents'])
      assert.deepEqual(await assigned([two], 'move'), ['one idents'])
      assert.deepEqual(await assigned([one], 'move'), ['one idents', 'two idents'])
      watch.close()
    })

    it('is nobody to whom an ident is refused, because another has no room for it', async (store) => {
      const [one, full] = [await newOrganization(store), await newOrganization(store)]
      await store.organizations.update(full, { maxObjects: 0 }, NOW)
      const assign = (...organizations: number[]) =>
        store.routing.assign(assignmentTo(organizations, 'share'))
      assert.deepEqual(await assign(one, full), { full })
      assert.equal(await assign(one, MISSING), 'no_organization')
      assert.deepEqual(await allOwners(store), [])
      assert.deepEqual(await store.objects.list(one), [])
    })

    it('is one of those to whom operators and rules give an ident at once', async (store, reopen) => {
      const [one, two] = [await newOrganization(store), await newOrganization(store)]
      const processes = [store, await reopen()] as const
      for (const ident of Array.from({ length: 10 }, (_, index) => `bus ${index}`)) {
        const assigned = await atOnce(2, processes, ({ routing }, index) =>
          routing.assign({ ...assignmentTo([[one, two][index]!]), ident }),
        )
        assert.equal(assigned.filter((each) => 'ownedBy' in (each as object)).length, 1)
        assert.equal((await store.routing.ownersOf(ident)).length, 1)
        const other = `${ident} of a rule`
        await atOnce<Store, unknown>(2, processes, ({ routing }, index) =>
          index === 0
            ? routing.assign({ ...assignmentTo([one]), ident: other })
            : routing.claim(new Map([[other, placingRule([two])]]), NOW),
        )
        assert.equal((await store.routing.ownersOf(other)).length, 1)
        await atOnce(2, processes, ({ routing }, index) =>
          routing.assign({ ...assignmentTo([[one, two][index]!], 'move'), ident }),
        )
        assert.equal((await store.routing.ownersOf(ident)).length, 1)
      }
    })
  })

  describe('The rules of the deployment', () => {
    it('keep their order', async (store, reopen) => {
      const organization = await newOrganization(store)
      const add = async (value: string, before: number | null = null) => {
        const added = await store.routing.addRule(ruleOf(organization, value), before, NOW)
        return (added as RoutingRule).id
      }
      const [first, last] = [await add('first'), await add('last')]
      const middle = await add('middle', last)
      assert.deepEqual(await valuesOf(store), ['first', 'middle', 'last'])
      await store.routing.moveRule(last, first)
      await store.routing.moveRule(first, null)
      await store.routing.moveRule(middle, middle)
      assert.deepEqual(await valuesOf(await reopen()), ['last', 'middle', 'first'])
      assert.equal((await store.routing.removeRule(middle))?.id, middle)
      assert.equal(await store.routing.removeRule(middle), null)
      assert.equal(await store.routing.moveRule(middle, null), null)
      const [rule] = await store.routing.rules()
      assert.deepEqual(rule, {
        ...ruleOf(organization, 'last'),
        ...{ id: last, createdAt: NOW, placedIdents: 0, lastPlacedAt: null },
      })
      assert.equal(await store.routing.moveRule(last, MISSING), 'no_such_before')
      assert.equal(
        await store.routing.addRule(ruleOf(organization, 'x'), MISSING, NOW),
        'no_such_before',
      )
      assert.deepEqual((await valuesOf(store)).length, 2)
      const foreign = await store.routing.addRule(ruleOf(MISSING, 'x'), null, NOW)
      assert.equal(foreign, 'no_organization')
    })

    it('count the idents that they give an owner, and note when they last did', async (store, reopen) => {
      const organization = await newOrganization(store)
      await newObject(store, organization, 'owned')
      const add = async (value: string) =>
        (await store.routing.addRule(ruleOf(organization, value), null, NOW)) as RoutingRule
      const [one, two] = [await add('one'), await add('two')]
      const nobody = { id: two.id, organizations: [MISSING] }
      const claims = [
        new Map([
          ['a', one],
          ['b', one],
          ['owned', one],
        ]),
        new Map([
          ['a', one],
          ['c', two],
        ]),
      ]
      await atOnce(2, [store, await reopen()], ({ routing }, index) =>
        routing.claim(claims[index]!, NOW + index),
      )
      await store.routing.claim(new Map([['d', nobody]]), NOW + 9)
      const counts = async () =>
        (await store.routing.rules()).map(({ placedIdents, lastPlacedAt }) => [
          placedIdents,
          lastPlacedAt,
        ])
      const [[placed, lastPlacedAt] = [], second] = await counts()
      assert.equal(placed, 2)
      assert.ok(lastPlacedAt === NOW || lastPlacedAt === NOW + 1)
      assert.deepEqual(second, [1, NOW + 1])
      await store.routing.noteMatches(
        new Map([
          [two.id, NOW + 5],
          [one.id, NOW - 1],
          [MISSING, NOW],
        ]),
      )
      assert.deepEqual(await counts(), [
        [2, lastPlacedAt],
        [1, NOW + 5],
      ])
    })

    it('and its tokens are reported to other processes when they change', async (store, reopen, opened) => {
      const organization = await newOrganization(store)
      const other = await reopen()
      const reported: string[] = []
      const watch = other.watch(({ organization, topic }) => {
        if (organization === DEPLOYMENT) reported.push(topic)
      })
      await store.deploymentTokens.issue(DEPLOYMENT, newKey('a'), NOW)
      await opened.settled(watch)
      await store.routing.addRule(ruleOf(organization, 'x'), null, NOW)
      await opened.settled(watch)
      watch.close()
      assert.deepEqual(reported, ['feed_tokens', 'feed_tokens'])
    })
  })

  it('Tokens of the deployment are those of nobody else', async (store, reopen) => {
    const organization = await newOrganization(store)
    await store.feedTokens.issue(organization, newKey('own'), NOW)
    const token = await store.deploymentTokens.issue(DEPLOYMENT, newKey('a'), NOW)
    assert.equal(token.organization, DEPLOYMENT)
    const next = await store.deploymentTokens.rotate(DEPLOYMENT, token.id, newKey('b'), NOW, NOW)
    await store.deploymentTokens.revoke(DEPLOYMENT, next!.id, NOW)
    await store.organizations.delete(organization)
    const kept = await (await reopen()).deploymentTokens.all()
    assert.deepEqual(
      kept.map(({ id, revokedAt }) => [id, revokedAt]),
      [
        [token.id, null],
        [next!.id, NOW],
      ],
    )
  })

  describe('Waiting idents', () => {
    it('are added up, and leave the list with an owner', async (store, reopen) => {
      const organization = await newOrganization(store)
      await store.routing.addWaiting([waiting('a', { packets: 2 }), waiting('b')])
      const later = waiting('a', {
        ...{ firstAt: NOW + 1, lastAt: NOW + 1, format: 'osmand', latitude: null, longitude: null },
        ...{ name: 'Bus', group: '7', rule: 5 },
      })
      await (await reopen()).routing.addWaiting([later])
      const joined = { ...later, packets: 3, firstAt: NOW }
      assert.deepEqual(await store.routing.waiting(), [joined, waiting('b')])
      await newObject(store, organization, 'b')
      assert.deepEqual(await store.routing.waiting(), [joined])
      assert.equal(await store.routing.dismiss('a'), true)
      assert.equal(await store.routing.dismiss('a'), false)
      assert.deepEqual(await store.routing.waiting(), [])
    })

    it('are limited to the latest senders', async (store) => {
      const many = Array.from({ length: MAX_WAITING_IDENTS }, (_, i) =>
        waiting(`bus ${i}`, { lastAt: NOW + Math.floor(i / 2) }),
      )
      await store.routing.addWaiting(many)
      await store.routing.addWaiting([waiting('new', { lastAt: NOW + MAX_WAITING_IDENTS })])
      const listed = await store.routing.waiting()
      assert.equal(listed.length, MAX_WAITING_IDENTS)
      assert.deepEqual([listed[0]!.ident, listed.at(-1)!.ident], ['new', 'bus 1'])
    })
  })
}

async function identsOf(store: Store, organization: number): Promise<string[]> {
  return (await allOwners(store, organization)).map(({ ident }) => ident)
}

async function allOwners(store: Store, organization?: number): Promise<IdentOwner[]> {
  const pages = await Array.fromAsync(store.routing.owners(organization))
  return pages.flat().map((each) => ({ ...each }))
}

function addRule(
  { routing }: Store,
  condition: NewRoutingRule['condition'],
  anyOf: string[],
  organizations: number[],
) {
  const rule = { condition, attribute: null, anyOf, organizations, createObjects: true }
  return routing.addRule(rule, null, NOW)
}

function assignmentTo(organizations: number[], ifOwned: Assignment['ifOwned'] = 'refuse') {
  return { ident: 'x', organizations, ifOwned }
}

function ruleOf(organization: number, value: string): NewRoutingRule {
  return {
    condition: 'attribute',
    attribute: 'customer',
    anyOf: [value, 'other'],
    organizations: [organization],
    createObjects: false,
  }
}

async function valuesOf(store: Store): Promise<string[]> {
  return (await store.routing.rules()).map(({ anyOf }) => anyOf[0]!)
}

function waiting(ident: string, more: Partial<WaitingIdent> = {}): WaitingIdent {
  return {
    ...{ ident, format: 'traccar', packets: 1, firstAt: NOW, lastAt: NOW },
    ...{ latitude: 1.5, longitude: 2, name: null, group: null, rule: null },
    ...more,
  }
}
