const SIGNAL = 'var(--color-signal)';
const CHALK = 'var(--color-chalk)';
const DARK = '#070708';

/** Where the ring on the wall hangs; everything is lit from there. */
const RING = { x: 980, y: 330, r: 196 };
const BEAMS = [
  { from: 700, to: [120, 470] },
  { from: 860, to: [560, 800] },
  { from: 1100, to: [1120, 1330] },
  { from: 1260, to: [1420, 1760] },
] as const;

/**
 * The room at three in the morning: nobody in it, the booth lit, the ring on the wall tells the time.
 * On a phone the booth stands in the middle of the picture, on wider screens to the right of the words.
 */
export function Night() {
  return (
    <svg
      className="absolute top-0 left-1/2 aspect-[16/10] h-[70%] max-w-none -translate-x-[61%] lg:left-0 lg:aspect-auto lg:h-full lg:w-full lg:translate-x-0"
      viewBox="0 0 1600 1000"
      preserveAspectRatio="xMidYMid slice"
      aria-hidden="true"
    >
      <Light />
      <rect width="1600" height="1000" fill="#0b0b0c" />
      <rect width="1600" height="1000" fill="url(#night-wall)" />
      <Ring />
      <g style={{ mixBlendMode: 'screen' }}>
        {BEAMS.map(({ from, to }) => (
          <path
            key={from}
            d={`M${from - 9} 74 L${to[0]} 1000 L${to[1]} 1000 L${from + 9} 74Z`}
            fill="url(#night-beam)"
          />
        ))}
      </g>
      <Truss />
      <Floor />
      <Stack x={500} />
      <Stack x={1290} />
      <Booth />
      <rect width="1600" height="1000" fill="url(#night-edge)" />
    </svg>
  );
}

function Light() {
  return (
    <defs>
      <radialGradient id="night-wall" gradientUnits="userSpaceOnUse" cx={RING.x} cy={RING.y} r="760">
        <stop offset="0" stopColor="#ff5a2c" stopOpacity=".5" />
        <stop offset=".32" stopColor="#c23a14" stopOpacity=".3" />
        <stop offset=".7" stopColor="#4a1406" stopOpacity=".16" />
        <stop offset="1" stopColor="#0b0b0c" stopOpacity="0" />
      </radialGradient>
      <linearGradient id="night-beam" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stopColor="#ffb59b" stopOpacity=".5" />
        <stop offset=".25" stopColor="#ff5a2c" stopOpacity=".2" />
        <stop offset=".75" stopColor="#ff5a2c" stopOpacity="0" />
      </linearGradient>
      <linearGradient id="night-floor" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stopColor="#1a0a05" />
        <stop offset=".5" stopColor="#0b0b0c" />
      </linearGradient>
      <radialGradient id="night-pool">
        <stop offset="0" stopColor="#ff5a2c" stopOpacity=".5" />
        <stop offset=".5" stopColor="#ff5a2c" stopOpacity=".14" />
        <stop offset="1" stopColor="#ff5a2c" stopOpacity="0" />
      </radialGradient>
      <linearGradient id="night-front" x1="0" y1="0" x2="0" y2="1">
        <stop offset="0" stopColor="#151213" />
        <stop offset="1" stopColor={DARK} />
      </linearGradient>
      <linearGradient id="night-edge" x1="0" y1="0" x2="0" y2="1">
        <stop offset=".55" stopColor="#0b0b0c" stopOpacity="0" />
        <stop offset=".97" stopColor="#0b0b0c" />
      </linearGradient>
      <filter id="night-glow" x="-40%" y="-40%" width="180%" height="180%">
        <feGaussianBlur stdDeviation="26" />
      </filter>
    </defs>
  );
}

/** A ring of light with twelve marks; its hands stand at three. */
function Ring() {
  const { x, y, r } = RING;
  return (
    <g>
      <circle
        cx={x}
        cy={y}
        r={r}
        fill="none"
        stroke={SIGNAL}
        strokeWidth="44"
        opacity=".75"
        filter="url(#night-glow)"
      />
      <circle cx={x} cy={y} r={r - 9} fill="#0b0707" opacity=".72" />
      <circle cx={x} cy={y} r={r} fill="none" stroke={SIGNAL} strokeWidth="13" />
      <circle cx={x} cy={y} r={r} fill="none" stroke="#ffd9cb" strokeWidth="3.5" />
      {Array.from({ length: 12 }, (_, at) => (
        <path
          key={at}
          d={`M${x} ${y - r + 26}v${at % 3 === 0 ? 26 : 12}`}
          stroke={CHALK}
          strokeWidth={at % 3 === 0 ? 5 : 3}
          opacity={at % 3 === 0 ? 0.9 : 0.45}
          transform={`rotate(${at * 30} ${x} ${y})`}
        />
      ))}
      <path d={`M${x} ${y + 22}V${y - 124}`} stroke={CHALK} strokeWidth="7" />
      <path d={`M${x - 22} ${y}H${x + 88}`} stroke={CHALK} strokeWidth="10" />
      <circle cx={x} cy={y} r="10" fill={SIGNAL} />
    </g>
  );
}

function Truss() {
  return (
    <g stroke="#1d1714" strokeWidth="5" fill="none">
      <path d="M0 30H1600M0 66H1600" />
      {Array.from({ length: 40 }, (_, at) => (
        <path key={at} strokeWidth="3" d={`M${at * 40} ${at % 2 === 0 ? 66 : 30}l40 ${at % 2 === 0 ? -36 : 36}`} />
      ))}
      {BEAMS.map(({ from, to }) => (
        <g key={from} transform={`rotate(${((from - (to[0] + to[1]) / 2) / 900) * 40} ${from} 66)`} stroke="none">
          <path d={`M${from - 13} 52h26l7 38h-40z`} fill={DARK} />
          <ellipse cx={from} cy="90" rx="19" ry="5" fill="#ffe3d8" />
        </g>
      ))}
    </g>
  );
}

function Floor() {
  return (
    <g>
      <rect y="704" width="1600" height="296" fill="url(#night-floor)" />
      <path d="M0 704H1600" stroke={SIGNAL} strokeWidth="2" opacity=".28" />
      {Array.from({ length: 17 }, (_, at) => (
        <path
          key={at}
          d={`M${RING.x + (at - 8) * 130} 704L${RING.x + (at - 8) * 330} 1000`}
          stroke={SIGNAL}
          strokeWidth="2"
          opacity=".07"
        />
      ))}
      <ellipse cx={RING.x} cy="800" rx="640" ry="120" fill="url(#night-pool)" />
    </g>
  );
}

/** A stack of three loudspeakers, edges lit from the ring. */
function Stack({ x }: { x: number }) {
  return (
    <g>
      <ellipse cx={x + 85} cy="742" rx="120" ry="16" fill="#000" opacity=".7" />
      {[292, 440, 588].map((y, at) => (
        <g key={y}>
          <rect x={x} y={y} width="170" height="146" fill={DARK} />
          <path
            d={x < RING.x ? `M${x + 169} ${y}v146` : `M${x + 1} ${y}v146`}
            stroke={SIGNAL}
            strokeWidth="3"
            opacity=".8"
          />
          <path d={`M${x} ${y + 1}h170`} stroke={SIGNAL} strokeWidth="1.5" opacity=".4" />
          {at === 0 ? (
            <path d={`M${x + 34} ${y + 40}h102l-14 62h-74z`} fill="#0f0d0d" stroke="#3a241c" strokeWidth="3" />
          ) : (
            [58, 44, 22].map((r) => (
              <circle
                key={r}
                cx={x + 85}
                cy={y + 73}
                r={r}
                fill={r === 22 ? '#191413' : '#0c0a0a'}
                stroke="#3a241c"
                strokeWidth="3"
              />
            ))
          )}
        </g>
      ))}
    </g>
  );
}

/** The booth: two decks, a mixer with its lamps, and nobody behind it. */
function Booth() {
  const { x } = RING;
  return (
    <g>
      <ellipse cx={x} cy="792" rx="330" ry="26" fill="#000" opacity=".75" />
      <path d={`M${x - 262} 604H${x + 262}L${x + 250} 790H${x - 250}Z`} fill="url(#night-front)" />
      {Array.from({ length: 23 }, (_, at) => (
        <path
          key={at}
          d={`M${x - 242 + at * 22} 622L${x - 232 + at * 21.1} 782`}
          stroke={SIGNAL}
          strokeWidth="1.5"
          opacity={0.08 + 0.2 * (1 - Math.abs(at - 11) / 11)}
        />
      ))}
      <path d={`M${x - 222} 540H${x + 222}L${x + 270} 596V610H${x - 270}V596Z`} fill="#121011" />
      <path d={`M${x - 222} 540H${x + 222}`} stroke={SIGNAL} strokeWidth="2.5" opacity=".9" />
      <path d={`M${x - 270} 597H${x + 270}`} stroke="#ffc2ab" strokeWidth="2" opacity=".55" />
      <Deck x={x - 150} />
      <Deck x={x + 150} />
      <path d={`M${x - 52} 534H${x + 52}L${x + 60} 590H${x - 60}Z`} fill="#0a0909" stroke="#4a2c20" strokeWidth="2" />
      {[-36, -12, 12, 36].map((dx) => (
        <g key={dx}>
          <ellipse cx={x + dx} cy="546" rx="5" ry="2.6" fill={CHALK} opacity=".8" />
          <ellipse cx={x + dx * 1.05} cy="556" rx="5" ry="2.6" fill={CHALK} opacity=".5" />
          <path d={`M${x + dx * 1.12} 564v18`} stroke="#5b3a2d" strokeWidth="2" />
          <path d={`M${x + dx * 1.12 - 5} ${dx < 0 ? 569 : 576}h10`} stroke={CHALK} strokeWidth="3.5" />
        </g>
      ))}
      {[0, 1, 2, 3, 4, 5].map((at) => (
        <path
          key={at}
          d={`M${x - 3} ${580 - at * 5.5}h6`}
          stroke={at > 3 ? CHALK : SIGNAL}
          strokeWidth="3.5"
          opacity={at > 4 ? 0.35 : 1}
        />
      ))}
    </g>
  );
}

function Deck({ x }: { x: number }) {
  return (
    <g>
      <ellipse cx={x} cy="566" rx="78" ry="21" fill="#050505" stroke="#5b3325" strokeWidth="2" />
      {[64, 50, 36].map((rx) => (
        <ellipse key={rx} cx={x} cy="566" rx={rx} ry={rx * 0.27} fill="none" stroke="#2a1b16" strokeWidth="1.5" />
      ))}
      <path d={`M${x - 78} 566A78 21 0 0 1 ${x + 40} 548`} fill="none" stroke={SIGNAL} strokeWidth="2.5" />
      <ellipse cx={x} cy="566" rx="22" ry="6" fill={SIGNAL} />
      <circle cx={x} cy="565.5" r="2" fill="#0b0b0c" />
      <path d={`M${x + 84} 548L${x + 76} 566L${x + 44} 573`} fill="none" stroke={CHALK} strokeWidth="3" />
    </g>
  );
}
