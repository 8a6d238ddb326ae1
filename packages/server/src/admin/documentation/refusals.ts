import type { AdminOperation } from '../operation.ts'

/** The descriptions of the responses that are errors, by their names in the description. */
export const REFUSALS = {
  WrongField: 'A field is missing, unknown or breaks its rule.',
  NotSignedIn: 'There is no valid session and no valid token.',
  WrongPassword: 'The password, the code or the link is wrong.',
  BeyondRole: 'The role does not include this, or the caller is not a person.',
  OtherSite: 'The request comes from a page of another site.',
  BeyondRoleOrOtherSite:
    'The role does not include this, the caller is not a person, or the request comes from a page of another site.',
  NotFound: 'Nothing has this id.',
  NameTaken: 'Another item has that name or ident.',
  Conflict: 'The message says why it cannot be done now.',
  TooLarge: 'The body is too large.',
  TooManyAttempts: 'Too many attempts; `Retry-After` says when the next may be.',
  Unavailable: 'A part of the server is down.',
  UnavailableForFiles:
    'A part of the server is down, or too many files are sent at once; `Retry-After` says when to try again.',
} as const

/** The errors of an operation by their status, as references. */
export function refusalsOf(operation: AdminOperation) {
  const { method, who, isLimited, takes, takesSignedForm, query, path, mayConflict } = operation
  const isOpen = who === 'everybody'
  const isRead = method === 'GET'
  const forbidden = isOpen ? 'OtherSite' : isRead ? 'BeyondRole' : 'BeyondRoleOrOtherSite'
  return {
    ...((takes ?? query) !== undefined && { 400: reference('WrongField') }),
    ...(!isOpen && { 401: reference('NotSignedIn') }),
    ...(isOpen && takes !== undefined && !takesSignedForm && { 401: reference('WrongPassword') }),
    ...(!(isOpen && isRead) && !takesSignedForm && { 403: reference(forbidden) }),
    ...(path.includes('{') && { 404: reference('NotFound') }),
    ...(mayConflict && { 409: reference('Conflict') }),
    ...(takes !== undefined && !takesSignedForm && { 409: reference('NameTaken') }),
    ...(takes !== undefined && { 413: reference('TooLarge') }),
    ...(isLimited && { 429: reference('TooManyAttempts') }),
    503: reference(takes === 'file' ? 'UnavailableForFiles' : 'Unavailable'),
  }
}

function reference(name: keyof typeof REFUSALS): object {
  return { $ref: `#/components/responses/${name}` }
}
