/** Thrown for bytes that are not a block, or not the block that was written. */
export class DamagedBlock extends Error {
  constructor() {
    super('a block of positions is damaged')
  }
}
