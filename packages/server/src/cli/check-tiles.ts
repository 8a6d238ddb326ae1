import type { Tiles } from '../admin/admin-api.ts'

/** Throws if the file of `--map-tiles` cannot be used, and says why. */
export async function checkTiles(tiles: Tiles | undefined): Promise<void> {
  if (tiles === undefined || 'url' in tiles) return
  const { describeTiles } = await import('../admin/tiles-file.ts')
  try {
    await describeTiles(tiles.file)
  } catch (error) {
    throw new Error(`'${tiles.file}' of --map-tiles cannot be used: ${(error as Error).message}`)
  }
}
