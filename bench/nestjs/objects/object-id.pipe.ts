import { Injectable, type PipeTransform } from '@nestjs/common'
import { invalidParameter, objectNotFound } from '../refusal.ts'

const GREATEST = 2 ** 31 - 1

@Injectable()
export class ObjectIdPipe implements PipeTransform<string, number> {
  transform(text: string): number {
    if (!/^\d+$/.test(text)) throw invalidParameter('The id must be an integer.')
    const id = Number(text)
    if (id > GREATEST) throw objectNotFound()
    return id
  }
}
