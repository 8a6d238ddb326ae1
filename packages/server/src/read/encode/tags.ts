/** The groups of operations in the description. */
export const TAGS = [
  { name: 'Objects', description: 'The tracked vehicles and assets of your organization.' },
  { name: 'Positions', description: 'Where objects are, and where they have been.' },
  { name: 'Changes', description: 'The changes in your fleet, in order.' },
  {
    name: 'Records',
    description:
      'Trips, stops, visits, changes of levels and days, derived from positions and places.',
  },
  { name: 'Places', description: 'Geofences, routes and sites of your organization.' },
  { name: 'Service', description: 'The service itself.' },
] as const

export type Tag = (typeof TAGS)[number]['name']
