/** The address of the page that deletes the position of a moment, in milliseconds since the epoch. */
export function deletionHref(organization: number, object: number, time: number): string {
  const at = new Date(time).toISOString()
  return `/organizations/${organization}/objects/${object}/settings?delete=${at}`
}
