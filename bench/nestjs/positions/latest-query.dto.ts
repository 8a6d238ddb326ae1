import { Transform } from 'class-transformer'
import { ArrayMaxSize, IsInt } from 'class-validator'

const MAX_IDS = 1_000

export class LatestQuery {
  @Transform(({ value }) => [
    ...new Set(
      String(value ?? '')
        .split(',')
        .map(toId),
    ),
  ])
  @ArrayMaxSize(MAX_IDS)
  @IsInt({ each: true })
  ids: number[]
}

function toId(text: string): number {
  return /^ *\d+ *$/.test(text) ? Number(text) : Number.NaN
}
