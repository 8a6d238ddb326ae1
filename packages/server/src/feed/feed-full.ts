/** The queue of what waits to be stored is full: nothing of the request was taken, try again soon. */
export class FeedFull extends Error {
  override name = 'FeedFull'
}
