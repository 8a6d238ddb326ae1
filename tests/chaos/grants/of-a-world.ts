/** Headers that differ between any two requests, or depend on when records were derived. */
export const OF_A_REQUEST = ['date', 'x-request-id', 'x-records-until', 'content-length']

/**
 * Cursors differ each time, ids and revisions of records depend on the records of other objects, and the numbers of changes
 * on all that changed, by the contract.
 */
export const OF_A_WORLD =
  /"timestamp":"[^"]+"|"id":\d+,(?="object_id")|(?<="type":"(?:trip|stop|visit|level)","op":"delete",)"id":\d+|"revision":\d+,"updated_at":"[^"]+"|"cursor":"[^"]+"|cursor=[^&>"]+|"as_of":\d+|"seq":\d+/g
