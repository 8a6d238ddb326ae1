import type { DatabaseSync } from 'node:sqlite'
import type { PlaceRoom } from '../../../domain/place-limits.ts'

/** Returns the places and vertices that an organization may have and has, as part of a transaction. */
export function placeRoom(writer: DatabaseSync): (organization: number) => PlaceRoom {
  const room = writer.prepare(`
    SELECT max_places AS maxPlaces, place_count AS places, max_vertices AS maxVertices,
      vertex_count AS vertices
    FROM organizations WHERE id = ?
  `)
  return (organization) => {
    const row = room.get(organization) as PlaceRoom | undefined
    if (row === undefined) throw new Error(`there is no organization ${organization}`)
    return { ...row }
  }
}
