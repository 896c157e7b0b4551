/** A drawing for each room at 3 a.m.: the club rig in haze, the record under a lamp, the booth through a camera. */
export function StudioArt({ name, className = '' }: { name: string; className?: string }) {
  const room = name.endsWith('B') ? <Vinyl /> : name.endsWith('C') ? <Camera /> : <Rig />;
  return (
    <svg viewBox="0 0 400 220" className={className} aria-hidden="true" preserveAspectRatio="xMidYMid slice">
      {room}
    </svg>
  );
}

const SIGNAL = '#ff5a2c';
const AMBER = '#ffc24b';
const COLD = '#6fd3ff';

function Rig() {
  return (
    <>
      <defs>
        <radialGradient id="rig-haze" cx="50%" cy="62%" r="62%">
          <stop offset="0" stopColor={SIGNAL} stopOpacity=".55" />
          <stop offset=".45" stopColor="#7a2410" stopOpacity=".35" />
          <stop offset="1" stopColor="#0b0b0c" stopOpacity="0" />
        </radialGradient>
        <linearGradient id="rig-beam" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#ffd9c9" stopOpacity=".7" />
          <stop offset="1" stopColor={SIGNAL} stopOpacity="0" />
        </linearGradient>
        <linearGradient id="rig-floor" x1="0" y1="0" x2="0" y2="1">
          <stop offset="0" stopColor="#3a1408" />
          <stop offset="1" stopColor="#0b0b0c" />
        </linearGradient>
      </defs>
      <rect width="400" height="220" fill="#0d0a09" />
      <rect width="400" height="220" fill="url(#rig-haze)" />
      <path
        d="M60 12 10 178h74zM140 12l-48 160h84zM260 12l-36 160h84zM340 12l-24 166h74z"
        fill="url(#rig-beam)"
        opacity=".42"
      />
      <path d="M0 12h400M0 20h400" stroke="#332b28" strokeWidth="2" />
      <path
        d="m0 20 16-8 16 8 16-8 16 8 16-8 16 8 16-8 16 8 16-8 16 8 16-8 16 8 16-8 16 8 16-8 16 8 16-8 16 8 16-8 16 8 16-8 16 8 16-8 16 8 16-8"
        fill="none"
        stroke="#332b28"
      />
      {[60, 140, 260, 340].map((x) => (
        <g key={x}>
          <rect x={x - 8} y="8" width="16" height="12" fill="#1b1716" />
          <circle cx={x} cy="20" r="4" fill="#fff1e8" />
        </g>
      ))}
      <path d="M0 176h400v44H0z" fill="url(#rig-floor)" />
      {[34, 310].map((x) => (
        <g key={x}>
          <rect x={x} y="66" width="56" height="116" fill="#141212" stroke="#3b2f2b" />
          <circle cx={x + 28} cy="86" r="9" fill="#0b0a0a" stroke="#574640" strokeWidth="2" />
          <circle cx={x + 28} cy="116" r="17" fill="#0b0a0a" stroke="#574640" strokeWidth="2" />
          <circle cx={x + 28} cy="116" r="5" fill="#2a2220" />
          <circle cx={x + 28} cy="155" r="20" fill="#0b0a0a" stroke="#574640" strokeWidth="2" />
          <circle cx={x + 28} cy="155" r="7" fill={SIGNAL} opacity=".85" />
        </g>
      ))}
      <path d="M108 148h184l16 44H92z" fill="#171313" stroke="#4a3a35" />
      <path d="M116 134h168l8 16H108z" fill="#221c1a" stroke="#5d4a44" />
      {[126, 152, 232, 258].map((x) => (
        <g key={x}>
          <rect x={x - 1} y="136" width="20" height="11" fill="#0d0b0b" />
          <ellipse cx={x + 9} cy="142" rx="7" ry="3.6" fill="none" stroke={SIGNAL} strokeWidth="1.6" />
        </g>
      ))}
      {[184, 194, 204, 214].map((x, at) => (
        <path key={x} d={`M${x} ${146 - at * 2.2}v-5`} stroke="#f5f3ef" strokeWidth="3" />
      ))}
      <path d="M160 168h80" stroke={SIGNAL} strokeWidth="3" />
      <path
        d="M0 220v-18c14-12 26-12 36 0 8-14 26-14 34 0 12-10 24-10 34 2 10-16 30-16 38-1 12-9 26-9 34 2 8-14 28-14 36-1 12-10 26-10 36 1 8-14 28-15 38-1 12-10 24-9 34 1 10-15 28-14 36 0 12-10 30-10 44 1v14z"
        fill="#070606"
      />
    </>
  );
}

function Vinyl() {
  const grooves = Array.from({ length: 22 }, (_, at) => 52 + at * 6);
  return (
    <>
      <defs>
        <radialGradient id="vinyl-lamp" cx="74%" cy="0%" r="95%">
          <stop offset="0" stopColor={AMBER} stopOpacity=".5" />
          <stop offset=".5" stopColor="#6b4310" stopOpacity=".35" />
          <stop offset="1" stopColor="#0b0b0c" stopOpacity="0" />
        </radialGradient>
        <linearGradient id="vinyl-shine" x1="0" y1="0" x2="1" y2="1">
          <stop offset="0" stopColor="#fff" stopOpacity=".24" />
          <stop offset="1" stopColor="#fff" stopOpacity="0" />
        </linearGradient>
      </defs>
      <rect width="400" height="220" fill="#100c07" />
      <rect width="400" height="220" fill="url(#vinyl-lamp)" />
      <circle cx="138" cy="150" r="190" fill="#15110c" stroke="#3b2f1e" strokeWidth="2" />
      <circle cx="138" cy="150" r="182" fill="#070706" />
      {grooves.map((radius, at) => (
        <circle
          key={radius}
          cx="138"
          cy="150"
          r={radius}
          fill="none"
          stroke="#fff"
          strokeOpacity={at % 7 === 3 ? 0.2 : 0.065}
          strokeWidth={at % 7 === 3 ? 2 : 1.2}
        />
      ))}
      <path d="M138 150 252 8a182 182 0 0 1 46 54zM138 150 24 292a182 182 0 0 1-46-54z" fill="url(#vinyl-shine)" />
      <circle cx="138" cy="150" r="46" fill={AMBER} />
      <circle cx="138" cy="150" r="38" fill="none" stroke="#8a5c12" strokeWidth="1" />
      <path d="M108 136h60M114 164h48M120 170h36" stroke="#5d3d08" strokeWidth="2" />
      <circle cx="138" cy="150" r="4" fill="#100c07" />
      <circle cx="346" cy="40" r="30" fill="#1e1912" stroke="#57482f" strokeWidth="2" />
      <circle cx="346" cy="40" r="12" fill="#3a3123" />
      <path d="M346 40 336 128 258 176" fill="none" stroke="#e9e2d4" strokeWidth="6" strokeLinejoin="round" />
      <path d="m266 164-28 16 7 13 29-16z" fill="#f5f3ef" />
      <path d="m240 186-5 9" stroke={AMBER} strokeWidth="3" />
      <path d="M346 40l5-30" stroke="#8d8270" strokeWidth="9" />
      {[112, 152, 192].map((y, at) => (
        <g key={y}>
          <circle cx="374" cy={y} r="13" fill="#1b1711" stroke="#6c5a3b" strokeWidth="2" />
          <path d={`M374 ${y}${['l-7-8', 'l8-7', 'l0-11'][at]}`} stroke={AMBER} strokeWidth="2.5" />
        </g>
      ))}
    </>
  );
}

function Camera() {
  return (
    <>
      <defs>
        <linearGradient id="cam-cold" x1="0" y1="0" x2="1" y2=".6">
          <stop offset="0" stopColor={COLD} stopOpacity=".55" />
          <stop offset="1" stopColor={COLD} stopOpacity="0" />
        </linearGradient>
        <linearGradient id="cam-warm" x1="1" y1="0" x2="0" y2=".7">
          <stop offset="0" stopColor={SIGNAL} stopOpacity=".5" />
          <stop offset="1" stopColor={SIGNAL} stopOpacity="0" />
        </linearGradient>
      </defs>
      <rect width="400" height="220" fill="#0a0d10" />
      <path d="M34 46 400 20v200H60z" fill="url(#cam-cold)" opacity=".5" />
      <path d="M372 40 0 10v210h330z" fill="url(#cam-warm)" opacity=".45" />
      <path d="M22 34 62 24l10 44-40 10z" fill="#d9f3ff" />
      <path d="M48 76v130M48 206l-16 14M48 206l16 14" stroke="#2a3238" strokeWidth="4" />
      <path d="M160 152c0-38 16-56 40-56s40 18 40 56z" fill="#0c0d0f" />
      <path d="M161 150c0-36 14-52 36-54" fill="none" stroke={COLD} strokeWidth="3" />
      <path d="M239 150c0-36-14-52-36-54" fill="none" stroke={SIGNAL} strokeWidth="3" />
      <circle cx="200" cy="78" r="20" fill="#0c0d0f" />
      <path d="M181 82a20 20 0 0 1 14-23" fill="none" stroke={COLD} strokeWidth="3" />
      <path d="M219 82a20 20 0 0 0-14-23" fill="none" stroke={SIGNAL} strokeWidth="3" />
      <path d="M178 76a22 22 0 0 1 44 0" fill="none" stroke="#2b3034" strokeWidth="5" />
      <rect x="173" y="72" width="9" height="16" rx="3" fill="#2b3034" />
      <rect x="218" y="72" width="9" height="16" rx="3" fill="#2b3034" />
      <path d="M118 146h164l14 52H104z" fill="#12161a" stroke="#364049" />
      <path d="M126 134h148l8 14H118z" fill="#1b2127" stroke="#46525c" />
      <ellipse cx="150" cy="141" rx="11" ry="4" fill="none" stroke={COLD} strokeWidth="1.6" />
      <ellipse cx="250" cy="141" rx="11" ry="4" fill="none" stroke={SIGNAL} strokeWidth="1.6" />
      <path d="M188 144v-6M197 144v-8M206 144v-4M215 144v-7" stroke="#f5f3ef" strokeWidth="3" />
      <path
        d="M318 128h40v26h-40zM358 134l18-8v28l-18-8zM330 128v-8h16v8M338 154l-14 66M338 154l14 66M338 154v66"
        fill="#07090b"
        stroke="#3a444d"
        strokeWidth="2"
      />
      <g stroke="#f5f3ef" strokeWidth="2.5" fill="none">
        <path d="M92 34v-18h30M308 34v-18h-30M92 186v18h30M308 186v18h-30" />
        <path d="M192 112h16M200 104v16" strokeWidth="1.5" opacity=".7" />
      </g>
      <circle cx="106" cy="44" r="5" fill={SIGNAL} />
      <path d="M116 41h26M116 47h16" stroke="#f5f3ef" strokeWidth="2.5" />
      {[0, 1, 2, 3, 4, 5, 6].map((at) => (
        <rect
          key={at}
          x="290"
          y={172 - at * 9}
          width="8"
          height="6"
          fill={at > 4 ? SIGNAL : '#f5f3ef'}
          opacity={at > 5 ? 0.25 : 0.85}
        />
      ))}
    </>
  );
}
