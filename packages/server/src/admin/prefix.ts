/** The paths of the operator's API begin with it. */
export const ADMIN_PREFIX = '/admin/v1'
