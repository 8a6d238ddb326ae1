import { MAX_ERASURES } from '../engine/store/position-store.ts'
import { ADMINISTRATORS, acts, OVERSEERS, objectOf, organizationOf } from './act.ts'
import { DELETION, deletionOf, ERASURES, erasuresDocument, rangeIn, TO_DELETE } from './erasures.ts'
import { conflict, existing } from './refused.ts'

/*
 * Acts that delete positions of a range permanently.
 */

const OF_OBJECT = '/organizations/{organization}/objects/{object}'

export const ERASURE_ACTS = acts('Objects', {
  deletePositions: {
    method: 'POST',
    path: `${OF_OBJECT}/delete-positions`,
    who: ADMINISTRATORS,
    summary: 'Delete the positions of an object in a range of time, and store none of it again',
    takes: TO_DELETE,
    status: 202,
    answers: DELETION,
    async run(call) {
      const { store, body, now, known } = call
      await organizationOf(call)
      const object = await objectOf(call)
      const { dryRun, ...given } = TO_DELETE.in(body)
      const range = rangeIn(given, now)
      await known.writeCounts()
      const deletion = await deletionOf(store, object, range, now)
      if (dryRun) return deletion
      const { organization, id } = object
      const what = { ranges: [range] }
      const erased = existing(await store.positions.erase(organization, id, what, now), 'object')
      if (erased === 'too_many') {
        throw conflict(
          `the object has reached its maximum of ${MAX_ERASURES} erased ranges; delete a larger range that covers some of them`,
        )
      }
      return deletion
    },
  },
  listErasedRanges: {
    method: 'GET',
    path: `${OF_OBJECT}/erased-ranges`,
    who: OVERSEERS,
    summary:
      'List the ranges whose positions or values were deleted, and which webhooks have followed',
    answers: ERASURES,
    async run(call) {
      await organizationOf(call)
      const { organization, id } = await objectOf(call)
      return erasuresDocument(call.store, organization, id)
    },
  },
})
