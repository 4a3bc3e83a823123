#!/usr/bin/env bash
# Draws the clips that real-videos.yaml and described-videos.yaml are built from,
# so that both pages work without a download: docs/clips.sh [FOLDER], out/clips
# unless named. It needs ffmpeg with libx264. What is drawn is CC0-1.0.
set -euo pipefail
cd "$(dirname "$0")/.."
out=${1:-out/clips}
mkdir -p "$out/gestures" "$out/table" "$out/fixed"

# The same bytes each time: ids, and with them draws, follow from them.
encode() { ffmpeg -v error -nostdin -y "${@:1:$#-1}" -c:v libx264 -preset veryfast -pix_fmt yuv420p -threads 1 -fflags +bitexact -flags:v +bitexact "${@: -1}"; }

# gesture NAME SECONDS SHIRT RIGHT-X RIGHT-Y LEFT-X LEFT-Y: a figure in a shirt moves
# its hands; the places of the hands are expressions over the time t.
gesture() {
  local hand="color=0xe0b090:s=48x48:r=30:d=$2" room="color=0xcfc8bc:s=640x480:r=30:d=$2"
  encode -f lavfi -i "$room" -f lavfi -i "$hand" -f lavfi -i "$hand" -filter_complex "
    [0]drawbox=0:400:640:80:0x8a7f70:fill,drawbox=250:230:140:250:$3:fill,drawbox=285:140:70:84:0xe0b090:fill[figure];
    [figure][1]overlay=x='$4':y='$5':shortest=1[right];[right][2]overlay=x='$6':y='$7':shortest=1" "$out/gestures/figure_$1.mkv"
}
gesture circle 2.6 red    '470+70*cos(5*t)'      '250+70*sin(5*t)'  200               330
gesture clap   2.1 blue   '330+90*abs(cos(5*t))' 290                '262-90*abs(cos(5*t))' 290
gesture cross  3.7 green  '420-70*t'             270                '180+70*t'        310
gesture lift   2.2 red    410                    '380-110*t'        190               '380-110*t'
gesture lower  1.6 yellow 410                    '140+110*t'        190               '140+110*t'
gesture point  1.9 red    '420+60*min(t,1)'      240                200               340
gesture push   1.6 purple '400+90*abs(sin(4*t))' 290                200               340
gesture shake  2.0 green  400                    '300+25*sin(20*t)' 200               '300+25*sin(20*t)'
gesture spread 1.7 blue   '340+90*t'             250                '252-90*t'        250
gesture swing  2.3 yellow '420+80*sin(4*t)'      360                '180+80*sin(4*t)' 360
gesture tap    2.2 red    '320+10*sin(3*t)'      '100+30*abs(sin(7*t))' 200           340
gesture wave   2.4 blue   '430+50*sin(8*t)'      120                200               340

# scene NUMBER SECONDS FILE: ten sections of other colours, in which a block moves.
scene() {
  local grounds=(0xdc281e 0x1e3cdc 0x141414 0xf0f0f0 0x963cbe) boxes="null" rows="0" section
  for section in {0..9}; do
    local from="$section*$2/10" to="($section+1)*$2/10-0.001" color=${grounds[$1 % 2 + ($1 + section * (1 + $1 % 2 * 2)) % 4]}
    boxes+=",drawbox=0:0:iw:ih:$color:fill:enable='between(t,$from,$to)'"
    rows+="+between(t,$from,$to)*$(((section * ($1 + 1)) % 3 * 110 + 20))"
  done
  local block=${grounds[$1 % 2 + ($1 + 3) % 4]}
  encode -f lavfi -i "color=gray:s=640x360:r=25:d=$2" -f lavfi -i "color=$block:s=120x90:r=25:d=$2" -filter_complex "
    [0]$boxes[ground];[ground][1]overlay=x='mod(t*$((40 + 50 * $1)),520)':y='$rows':shortest=1" "$3"
}
scene 1 10 "$out/table/one.mp4"
scene 2 10 "$out/table/two.mp4"
scene 3 10 "$out/table/three.mp4"
scene 4 10 "$out/table/four.mp4"
scene 5 40 "$out/fixed/five.mp4"
scene 6 30 "$out/fixed/six.mp4"
echo "drew 12 clips of gestures and 6 of scenes below $out"
