import { type Act, acts, objectOf, organizationOf, VIEWERS } from './act.ts'
import {
  REFUSED_IDENTS,
  REJECTS,
  refusedIdentDocument,
  rejectDocument,
  WRONG_CLOCKS,
  wrongClocks,
} from './reject-bodies.ts'

/*
 * Lists of packets that were not taken.
 */

export const REJECT_ACTS = acts('Objects', {
  listRejects: {
    method: 'GET',
    path: '/organizations/{organization}/objects/{object}/rejects',
    who: VIEWERS,
    summary: 'The last packets of an object that were not accepted, and why',
    answers: REJECTS,
    async run(call) {
      const { organization, id } = await objectOf(call)
      const rejects = await call.store.positions.rejects(organization, id)
      call.disclosed.rows(id, 'positions', rejects.length)
      return { items: rejects.map(rejectDocument) }
    },
  },
  listRefusedIdents: {
    method: 'GET',
    path: '/organizations/{organization}/refused-idents',
    who: VIEWERS,
    summary: 'The idents that trackers send and that no object has',
    answers: REFUSED_IDENTS,
    async run(call) {
      const { id } = await organizationOf(call)
      return { items: (await call.store.refusedIdents.list(id)).map(refusedIdentDocument) }
    },
  },
  listWrongClocks: {
    method: 'GET',
    path: '/organizations/{organization}/wrong-clocks',
    who: VIEWERS,
    summary: 'The objects whose packets are refused because of their time',
    answers: WRONG_CLOCKS,
    async run(call) {
      const { id } = await organizationOf(call)
      return { items: await wrongClocks(call.store, id, call.now) }
    },
  },
})

type WrongClock = Awaited<ReturnType<typeof wrongClocks>>[number]

/** The same of all organizations, which only the command line shows. */
export const ALL_WRONG_CLOCKS: Act<{ items: (WrongClock & { organization: number })[] }> = {
  ...REJECT_ACTS.listWrongClocks,
  path: '/wrong-clocks',
  async run({ store, now }) {
    const items = []
    for (const { id: organization } of await store.organizations.list()) {
      const found = await wrongClocks(store, organization, now)
      for (const each of found) items.push({ organization, ...each })
    }
    return { items }
  },
}
