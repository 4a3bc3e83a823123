package basetalk

import "strings"

// thingsOf returns the things people speak of under a theme (SMMBench E.4).
func thingsOf(theme string) []string {
	all := map[string]string{
		"films":          "trailers,subtitles,matinees,projectors,sequels,screenings,posters,stunts,soundtracks,premieres,cameos,documentaries,curtains,popcorn machines,title cards,opening credits",
		"science":        "pipettes,telescopes,field trips,samples,microscopes,calibrations,lab coats,preprints,sensors,citations,freezers,fume hoods,error bars,weather balloons,fossils,peer reviews",
		"politics":       "leaflets,petitions,town halls,ballots,podiums,debates,hecklers,budgets,committees,by-elections,manifestos,handshakes,pollsters,press rooms,motions,canvassers",
		"sports":         "sprints,referees,locker rooms,away games,whistles,warm-ups,penalties,knee pads,bleachers,trophies,marathons,relays,training camps,scoreboards,goal nets,mouth guards",
		"video games":    "controllers,boss fights,save points,cutscenes,speedruns,patches,side quests,leaderboards,cartridges,loading screens,tutorials,headsets,arcade cabinets,cheat codes,voice lines,inventories",
		"transportation": "timetables,ferries,bus lanes,ticket barriers,night buses,tram stops,detours,level crossings,bike racks,car parks,conductors,platforms,toll booths,road works,gangways,lost-and-found boxes",
		"television":     "reruns,talk shows,newsreaders,pilots,weather maps,sitcoms,studio audiences,commercial breaks,cliffhangers,remote controls,antennas,quiz shows,casting calls,closing titles,jingles,green rooms",
		"music":          "rehearsals,choirs,encores,metronomes,sheet stands,drum kits,demo tapes,record sleeves,open mics,tuning forks,setlists,amplifiers,lullabies,brass sections,ear plugs,bow hairs",
		"animals":        "kennels,parrots,feeding rounds,aviaries,leashes,foster homes,hedgehogs,vets' bills,litter trays,goats,paddocks,whiskers,nest boxes,stray cats,saddles,microchips",
		"history":        "parish books,ration cards,trench maps,coins,city walls,diaries,excavations,coats of arms,telegrams,treaties,old photographs,dynasties,shipwrecks,street names,guild rolls,memorials",
		"literature":     "footnotes,paperbacks,sonnets,blurbs,first editions,bookmarks,translators,prologues,reading circles,library fines,dust jackets,ghostwriters,anthologies,unreliable narrators,margins,limericks",
		"architecture":   "balconies,stairwells,scaffolds,facades,skylights,floor plans,arches,load-bearing walls,drainpipes,lintels,courtyards,foundations,parapets,lift shafts,window frames,cornices",
		"art and design": "sketchbooks,canvases,typefaces,frames,glazes,mood boards,woodcuts,murals,easels,stencils,exhibitions,charcoal sticks,colour charts,plinths,linocuts,varnishes",
		"fashion":        "hemlines,zips,lookbooks,buttonholes,linings,catwalks,second-hand coats,scarves,fittings,shoulder pads,knit patterns,dress codes,sample sales,laces,pleats,hat boxes",
		"food":           "sourdough loaves,spice jars,leftovers,market stalls,broths,pickles,recipe cards,ovens,lunch boxes,dumplings,cheese boards,knives,coffee beans,tasting menus,pie crusts,chillies",
		"health":         "check-ups,waiting rooms,prescriptions,stretches,bandages,sleep diaries,blood tests,vaccines,step counters,night shifts,allergies,pill boxes,side effects,physios,thermometers,eye tests",
		"lifestyle":      "morning routines,house plants,to-do lists,flatmates,screen breaks,candles,weekend plans,laundry days,hobbies,dinner parties,yoga mats,thrift finds,bullet journals,spare rooms,alarm clocks,house rules",
		"nature":         "hedgerows,tide pools,mushrooms,trail signs,songbirds,dunes,peat bogs,fallen logs,ferns,waterfalls,meadows,bat boxes,wetlands,acorns,moss beds,ridge walks",
		"religion":       "pilgrims,candles,hymns,prayer rooms,bell towers,fasts,festivals,psalms,cloisters,sermons,vestments,relics,processions,charity boxes,icons,choir stalls",
		"travel":         "boarding passes,backpacks,hostels,border stamps,sleeper trains,phrasebooks,day trips,layovers,guidebooks,souvenirs,suitcases,travel adapters,window seats,postcards,viewpoints,rental cars",
		"business":       "invoices,pitches,quarterly calls,suppliers,hiring rounds,contracts,meeting rooms,discounts,trade fairs,handovers,deadlines,expense claims,mission statements,shareholders,price lists,warehouses",
		"education":      "exams,homework,field trips,school bells,blackboards,report cards,seminars,lesson plans,study groups,playgrounds,essays,substitute teachers,lockers,graduations,spelling bees,scholarships",
		"environment":    "recycling bins,solar panels,flood gates,emissions,compost heaps,rain barrels,bike paths,plastic bags,tree rings,heat pumps,storm drains,air filters,beach clean-ups,wind farms,glass bottles,insulation boards",
		"government":     "permits,forms,counters,hearings,stamps,waiting numbers,by-laws,tax letters,registries,appeals,inspectors,census takers,public notices,grants,archives,office hours",
		"economy":        "interest rates,rents,price tags,wages,savings accounts,exports,market days,loans,vouchers,coin rolls,inflation figures,side jobs,auctions,stock tips,pension funds,shop fronts",
		"technology":     "batteries,updates,passwords,routers,backups,keyboards,log files,data centres,screens,voice assistants,printers,cables,bug reports,touchscreens,server rooms,power banks",
	}
	list, ok := all[theme]
	if !ok {
		list = all["lifestyle"]
	}
	return strings.Split(list, ",")
}

func qualities() []string {
	return strings.Split("overrated,underrated,intricate,expensive,fascinating,tedious,confusing,useful,boring,difficult,important,charming,frustrating,peculiar,wonderful,complicated,neglected,fashionable,old-fashioned,popular,"+
		"demanding,harmless,puzzling,reliable,surprising,predictable,annoying,delightful,serious,comical,controversial,relaxing,impressive,ordinary,practical,misunderstood,remarkable,tiresome,elegant,monotonous", ",")
}

func times() []string {
	return []string{
		"last spring", "last winter", "two summers ago", "in March", "the other day", "before the holidays", "in the nineties", "on a Sunday", "right after the move", "years ago", "last autumn", "over Easter",
		"last Tuesday", "at the reunion", "in late August", "two years ago", "at the weekend", "last month", "in the holidays", "a while ago", "one June evening",
		"during the strike", "after the storm", "last term", "in May", "last week", "at Christmas", "in early autumn", "at New Year", "one Saturday", "three weeks ago", "in the heat", "in the rain", "between two trains", "in the snow", "last Friday",
	}
}
