import { MOTIONS } from '../base/motion.ts'
import { type Palette, rgb } from '../base/palette.ts'
import { setView, VIEW_GLSL, VIEW_UNIFORMS, type View } from '../base/view.ts'
import { DRAWN_COLUMNS, type Fleet, markDrawn } from '../fleet/fleet.ts'
import { GLIDE_MS } from '../fleet/glide.ts'
import { choose, column, createProgram, uniformsOf } from './shader-program.ts'

/** Side of the square for an object with its halo, and with the ring of a selection. */
const SIDE_PX = 24
const SELECTED_SIDE_PX = 36

const VERTEX = `${VIEW_GLSL}
layout(location = 0) in vec4 place;
layout(location = 1) in vec2 back;
layout(location = 2) in vec3 look;
layout(location = 3) in float single;
uniform float u_now;
uniform int u_selected;
flat out float v_side;
flat out vec2 v_turn;
flat out float v_motion;
flat out float v_selected;
flat out float v_directed;
void main() {
  if (single == 0.0) { gl_Position = vec4(2.0, 2.0, 2.0, 1.0); gl_PointSize = 0.0; return; }
  v_selected = gl_VertexID == u_selected ? 1.0 : 0.0;
  v_side = mix(${SIDE_PX.toFixed(1)}, ${SELECTED_SIDE_PX.toFixed(1)}, v_selected);
  float left = clamp(1.0 - (u_now - look.x) / ${GLIDE_MS.toFixed(1)}, 0.0, 1.0);
  gl_Position = onScreen(fromMiddle(place, back * left));
  gl_PointSize = v_side * u_ratio;
  float turn = radians(max(look.y, 0.0));
  v_turn = vec2(cos(turn), sin(turn));
  v_motion = look.z;
  v_directed = look.y < 0.0 ? 0.0 : 1.0;
}`

/** Shapes as distances from their edges in pixels, sharp at any pixel density. */
const FRAGMENT = `#version 300 es
precision mediump float;
uniform vec3 u_motion[${MOTIONS.length}];
uniform vec3 u_halo;
uniform vec3 u_ring;
flat in float v_side;
flat in vec2 v_turn;
flat in float v_motion;
flat in float v_selected;
flat in float v_directed;
out vec4 color;
float arrow(vec2 p) {
  float x = abs(p.x);
  return max(dot(vec2(x, p.y + 9.0), vec2(0.934, -0.357)), dot(vec2(x, p.y - 4.0), vec2(-0.470, 0.883)));
}
float diagonals(vec2 p) {
  return min(abs(p.x - p.y), abs(p.x + p.y)) * 0.707 - 1.6;
}
void main() {
  vec2 px = (gl_PointCoord - 0.5) * v_side;
  vec2 turned = mat2(v_turn.x, -v_turn.y, v_turn.y, v_turn.x) * px;
  int motion = int(v_motion + 0.5);
  float edge;
  if (motion == 0) edge = v_directed == 1.0 ? arrow(turned) : length(px) - 6.0;
  else if (motion == 1) edge = abs(length(px) - 5.0) - 2.0;
  else if (motion == 2) edge = max(abs(px.x), abs(px.y)) - 5.0;
  else if (motion == 3) edge = max(diagonals(px), max(abs(px.x), abs(px.y)) - 6.5);
  else edge = abs(abs(px.x) + abs(px.y) - 6.0) * 0.7 - 1.2;
  float fill = clamp(0.5 - edge, 0.0, 1.0);
  float halo = clamp(2.2 - edge, 0.0, 1.0) * 0.95;
  vec4 drawn = vec4(mix(u_halo, u_motion[motion], fill), 1.0) * max(fill, halo);
  float ring = v_selected * clamp(2.2 - abs(length(px) - 14.5), 0.0, 1.0);
  color = mix(drawn, vec4(u_ring, 1.0), ring);
  if (color.a < 0.01) discard;
}`

export type ObjectPainter = {
  draw(fleet: Fleet, view: View, palette: Palette, selected: number, now: number): void
  /** Rows that are drawn alone. */
  setSingle(single: Uint8Array): void
  free(): void
}

/**
 * Draws all objects in one call, from columns on the graphics card. Objects are points, not instances of
 * a square: without a graphics card, each instance costs as much as a call.
 */
export function createObjectPainter(gl: WebGL2RenderingContext): ObjectPainter {
  const program = createProgram(gl, VERTEX, FRAGMENT)
  const uniforms = uniformsOf(gl, program, [
    ...VIEW_UNIFORMS,
    'u_now',
    'u_selected',
    'u_motion',
    'u_halo',
    'u_ring',
  ])
  const columns = gl.createBuffer()
  const singles = gl.createBuffer()
  const array = gl.createVertexArray()
  let capacity = 0
  let singleRows = 0

  gl.bindVertexArray(array)
  gl.bindBuffer(gl.ARRAY_BUFFER, columns)
  column(gl, 0, 4, DRAWN_COLUMNS, 0)
  column(gl, 1, 2, DRAWN_COLUMNS, 4)
  column(gl, 2, 3, DRAWN_COLUMNS, 6)
  gl.bindBuffer(gl.ARRAY_BUFFER, singles)
  gl.enableVertexAttribArray(3)
  gl.vertexAttribPointer(3, 1, gl.UNSIGNED_BYTE, false, 1, 0)
  gl.bindVertexArray(null)

  /** Upload only the changed rows, unless the columns grew. */
  function upload(fleet: Fleet): void {
    gl.bindBuffer(gl.ARRAY_BUFFER, columns)
    if (capacity !== fleet.drawn.length) {
      capacity = fleet.drawn.length
      gl.bufferData(gl.ARRAY_BUFFER, fleet.drawn, gl.DYNAMIC_DRAW)
    } else if (fleet.staleTo > 0) {
      const from = fleet.staleFrom * DRAWN_COLUMNS
      const count = fleet.staleTo * DRAWN_COLUMNS - from
      gl.bufferSubData(gl.ARRAY_BUFFER, from * 4, fleet.drawn, from, count)
    }
    markDrawn(fleet)
  }

  return {
    setSingle(single) {
      singleRows = single.length
      gl.bindBuffer(gl.ARRAY_BUFFER, singles)
      gl.bufferData(gl.ARRAY_BUFFER, single, gl.DYNAMIC_DRAW)
    },
    draw(fleet, view, palette, selected, now) {
      upload(fleet)
      choose(gl, program)
      setView(gl, uniforms, view)
      gl.uniform1f(uniforms.u_now, now)
      gl.uniform1i(uniforms.u_selected, selected)
      const colors = MOTIONS.map((motion) => palette.motion[motion])
      gl.uniform3fv(uniforms.u_motion, colors.flatMap(rgb))
      gl.uniform3fv(uniforms.u_halo, rgb(palette.halo))
      gl.uniform3fv(uniforms.u_ring, rgb(palette.selected))
      gl.bindVertexArray(array)
      gl.drawArrays(gl.POINTS, 0, Math.min(fleet.size, singleRows))
      gl.bindVertexArray(null)
    },
    free() {
      gl.deleteProgram(program)
      gl.deleteBuffer(columns)
      gl.deleteBuffer(singles)
      gl.deleteVertexArray(array)
    },
  }
}
